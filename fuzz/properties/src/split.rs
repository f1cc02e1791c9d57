//! Bodies of lists and watches: the outcome does not depend on the framing.

use bytes::Bytes;
use informer_runtime::ObjectKey;
use informer_runtime::wire::{
    ApiStatus, DropFields, Encoding, Header, ListMeta, RawEvent, RawObject, Rejected, SplitError,
    SplitOptions,
};
use kube::core::TypeMeta;
use serde_json::Value;

use crate::document::{Expected, Watched, list_meta};
use crate::speller::Speller;
use crate::{MEMORY, peak_memory};

/// Checks the list splitter of JSON: one outcome in every framing, with the objects of the
/// document.
pub fn json_list(body: &[u8]) {
    lists_equally(Encoding::Json, body);
    if let Ok(list) = serde_json::from_slice::<Value>(body) {
        let mut speller = Speller::for_input(body);
        for spelt in [list.to_string(), speller.value(&list)] {
            for cut in cuts() {
                let frames = speller.frames(spelt.as_bytes());
                splits_as_list(&list, spelt.as_bytes(), &frames, &cut);
            }
        }
    }
}

/// Checks the watch splitter of JSON: one outcome in every framing, with the events of the
/// documents.
pub fn json_watch(body: &[u8]) {
    watches_equally(Encoding::Json, body);
    let documents = serde_json::Deserializer::from_slice(body).into_iter::<Value>();
    if let Ok(events) = documents.collect::<Result<Vec<_>, _>>() {
        let mut speller = Speller::for_input(body);
        let spelt: Vec<String> = events.iter().map(|event| speller.value(event)).collect();
        for separator in ["", "\n"] {
            let body = spelt.join(separator);
            for cut in cuts() {
                let frames = speller.frames(body.as_bytes());
                splits_as_watch(&events, body.as_bytes(), &frames, &cut);
            }
        }
    }
}

/// Checks the list splitter of protobuf: one outcome in every framing.
pub fn envelope_list(body: &[u8]) {
    lists_equally(Encoding::Protobuf, body);
    lists_equally(
        Encoding::Protobuf,
        &informer_protobuf::wrap("v1", "PodList", body),
    );
}

/// Checks the watch splitter of protobuf: one outcome in every framing.
pub fn envelope_watch(body: &[u8]) {
    watches_equally(Encoding::Protobuf, body);
    let object = informer_protobuf::wrap("v1", "Pod", body);
    watches_equally(
        Encoding::Protobuf,
        &informer_protobuf::watch_frame("ADDED", &object),
    );
}

/// Observable result of splitting a body.
#[derive(Debug, PartialEq)]
struct Outcome {
    seen: Vec<Seen>,
    /// The first items without a key. The number of further reports may depend on the framing.
    keyless: Vec<String>,
    objects: u64,
    end: Result<ListMeta, SplitError>,
}

#[derive(Debug, PartialEq)]
enum Seen {
    Object(&'static str, Object),
    Bookmark(String, bool),
    Error(ApiStatus),
    Unknown(String, String),
    Rejected(Option<ObjectKey>, String),
}

#[derive(Debug, PartialEq)]
struct Object {
    header: Header,
    bytes: Bytes,
    encoding: Encoding,
}

/// Maximum number of items without a key that are compared.
const KEYLESS: usize = 100;
/// Maximum length of the text of a rejection, in bytes. The text quotes a kind and an apiVersion,
/// each truncated.
const MAX_REASON: usize = 512;

fn options() -> [SplitOptions; 4] {
    let pod = TypeMeta {
        api_version: "v1".to_owned(),
        kind: "Pod".to_owned(),
    };
    let fields = [
        "spec.containers[*].env",
        "status",
        "x",
        "metadata.labels['a.b']",
    ];
    let drop = DropFields::new(fields).expect("these are paths");
    let default = SplitOptions::default;
    [
        default(),
        default().keep_managed_fields(true).add_type_meta(true),
        default()
            .expected_type(pod)
            .add_type_meta(true)
            .drop_fields(drop),
        default().max_object_bytes(64),
    ]
}

/// Returns the body in different framings; the first one is a single frame.
fn framings(body: &[u8]) -> Vec<Vec<&[u8]>> {
    let mut speller = Speller::for_input(body);
    // Byte by byte, unless that is too slow.
    let small = 1 + body.len() / 4096;
    vec![
        vec![body],
        body.chunks(small).collect(),
        body.chunks(7 * small).collect(),
        speller.frames(body),
    ]
}

fn lists_equally(encoding: Encoding, body: &[u8]) {
    equally(body, |options, frames, seen| {
        let mut splitter = encoding.list_splitter(options);
        let mut end = Ok(());
        for frame in frames {
            let mut items = Vec::new();
            end = splitter.push(&Bytes::copy_from_slice(frame), &mut items);
            seen(items.into_iter().map(Seen::of_item).collect());
            if end.is_err() {
                break;
            }
        }
        let objects = splitter.stats().objects;
        (objects, end.and_then(|()| splitter.finish()))
    });
}

fn watches_equally(encoding: Encoding, body: &[u8]) {
    equally(body, |options, frames, seen| {
        let mut splitter = encoding.event_splitter(options);
        let mut end = Ok(());
        for frame in frames {
            let mut events = Vec::new();
            end = splitter.push(&Bytes::copy_from_slice(frame), &mut events);
            seen(events.into_iter().map(Seen::of_event).collect());
            if end.is_err() {
                break;
            }
        }
        let objects = splitter.stats().objects;
        let end = end.and_then(|()| splitter.finish());
        (objects, end.map(|()| ListMeta::default()))
    });
}

type End = (u64, Result<ListMeta, SplitError>);

/// Checks with all options that the outcome of `split` does not depend on the framing, and that
/// `split` holds little more than the body. `split` hands over what it finds after each frame.
fn equally(body: &[u8], split: impl Fn(&SplitOptions, &[&[u8]], &mut dyn FnMut(Vec<Seen>)) -> End) {
    for options in options() {
        let mut outcomes = framings(body).into_iter().map(|frames| {
            let mut seen = Vec::new();
            let (objects, end) = split(&options, &frames, &mut |more| seen.extend(more));
            Some(Outcome::new(seen.into_iter(), objects, end))
        });
        let whole = outcomes.next().flatten();
        for framed in outcomes {
            assert_eq!(whole, framed, "{}", body.escape_ascii());
        }
        let frames: Vec<_> = body.chunks(16).collect();
        let memory = peak_memory(|| drop(split(&options, &frames, &mut drop)));
        assert!(memory <= MEMORY + 4 * body.len(), "{memory} bytes are held");
    }
}

// === impl Outcome ===

impl Outcome {
    fn new(
        seen: impl Iterator<Item = Seen>,
        objects: u64,
        end: Result<ListMeta, SplitError>,
    ) -> Self {
        let is_keyless = |seen: &Seen| matches!(seen, Seen::Rejected(None, _));
        let (keyless, seen): (Vec<_>, Vec<_>) = seen.partition(is_keyless);
        let keyless = keyless.into_iter().map(|seen| match seen {
            Seen::Rejected(_, reason) => reason,
            _ => String::new(),
        });
        Self {
            seen,
            keyless: keyless.take(KEYLESS).collect(),
            objects,
            end: end.map_err(without_offset),
        }
    }
}

/// Removes the offset: smaller frames may show an error earlier in the body.
fn without_offset(error: SplitError) -> SplitError {
    match error {
        SplitError::Malformed { expected, .. } => SplitError::Malformed {
            offset: 0,
            expected,
        },
        SplitError::Truncated { .. } => SplitError::Truncated { bytes: 0 },
        other => other,
    }
}

// === impl Seen ===

impl Seen {
    fn of_item(item: Result<RawObject, Rejected>) -> Self {
        match item {
            Ok(object) => Self::Object("", Object::of(&object)),
            Err(rejected) => Self::rejected(rejected),
        }
    }

    fn of_event(event: RawEvent) -> Self {
        match event {
            RawEvent::Added(object) => Self::Object("ADDED", Object::of(&object)),
            RawEvent::Modified(object) => Self::Object("MODIFIED", Object::of(&object)),
            RawEvent::Deleted(object) => Self::Object("DELETED", Object::of(&object)),
            RawEvent::Bookmark {
                resource_version,
                initial_events_end,
            } => Self::Bookmark(resource_version.to_string(), initial_events_end),
            RawEvent::Error(status) => Self::Error(status),
            RawEvent::Unknown {
                event_type,
                resource_version,
            } => {
                assert!(event_type.len() <= 64, "{event_type}");
                Self::Unknown(event_type, resource_version.to_string())
            }
            RawEvent::Rejected(rejected) => Self::rejected(rejected),
        }
    }

    fn rejected(rejected: Rejected) -> Self {
        let reason = &rejected.reason;
        assert!(reason.len() <= MAX_REASON, "{} bytes", reason.len());
        assert!(!reason.chars().any(char::is_control), "{reason:?}");
        Self::Rejected(rejected.key, rejected.reason)
    }
}

// === impl Object ===

impl Object {
    fn of(object: &RawObject) -> Self {
        Self {
            header: object.header().clone(),
            bytes: object.bytes().clone(),
            encoding: object.encoding(),
        }
    }
}

// === comparison with the document ===

/// Returns sets of fields to cut: none, and some.
fn cuts() -> [DropFields; 2] {
    let fields = ["x", "metadata.labels", "spec.containers[*].image"];
    [
        DropFields::default(),
        DropFields::new(fields).expect("these are paths"),
    ]
}

/// Splits `body`, which spells `list`, and compares the items.
fn splits_as_list(list: &Value, body: &[u8], frames: &[&[u8]], cut: &DropFields) {
    let options = SplitOptions::default().drop_fields(cut.clone());
    let mut splitter = Encoding::Json.list_splitter(&options);
    let mut items = Vec::new();
    let pushed = frames
        .iter()
        .try_for_each(|frame| splitter.push(&Bytes::copy_from_slice(frame), &mut items));
    let shown = || body.escape_ascii().to_string();
    let stats = splitter.stats();
    assert!(stats.copies <= stats.objects, "all cuts are one copy");
    let end = pushed.and_then(|()| splitter.finish());
    let nothing = Vec::new();
    let elements = match list.get("items") {
        None | Some(Value::Null) => Some(&nothing),
        Some(items) => items.as_array(),
    };
    match (list_meta(list), elements) {
        (Some(meta), Some(elements)) => {
            assert_eq!(end, Ok(meta), "{}", shown());
            // Items without a key may be counted instead.
            if elements.len() <= KEYLESS {
                assert_eq!(items.len(), elements.len(), "{}", shown());
                for (item, element) in items.iter().zip(elements) {
                    Expected::of(element).check(item.as_ref(), cut);
                }
            }
        }
        _ => assert!(end.is_err(), "{}", shown()),
    }
}

/// Splits `body`, which spells `events`, and compares the events.
fn splits_as_watch(events: &[Value], body: &[u8], frames: &[&[u8]], cut: &DropFields) {
    let options = SplitOptions::default().drop_fields(cut.clone());
    let mut splitter = Encoding::Json.event_splitter(&options);
    let mut found = Vec::new();
    let pushed = frames
        .iter()
        .try_for_each(|frame| splitter.push(&Bytes::copy_from_slice(frame), &mut found));
    let end = pushed.and_then(|()| splitter.finish());
    let shown = || body.escape_ascii().to_string();
    if events.iter().all(Value::is_object) {
        assert_eq!(end, Ok(()), "{}", shown());
        assert_eq!(found.len(), events.len(), "{}", shown());
    } else {
        assert!(end.is_err(), "{}", shown());
    }
    for (found, event) in found.iter().zip(events) {
        Watched::of(event).check(found, cut);
    }
}
