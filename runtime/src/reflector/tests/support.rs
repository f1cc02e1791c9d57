//! Text form of failures, objects and scripts of a source.
//!
//! A script is a line of answers: `list 5 a@1 b@2 | watch +c@6 -a@7 then closes | watch`. Lists and
//! watches are answered in turn. A list has a version and objects, and `more=TOKEN` if another page
//! follows. A watch has events and stays open, unless `then` names its end. `fails KIND` and
//! `never` can replace either content; see [`failure`] for the kinds.
//!
//! An object is `name@version`, followed by `#uid` if the uid is not the name, and by `!` if it
//! does not decode. Events are `+` added, `~` modified, `-` deleted, `b@5` a bookmark, `end@5` the
//! end of the initial events, `unknown@5`, `rejected`, and `error:KIND`.

use std::fmt::Write as _;
use std::io::{self, ErrorKind};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use crate::source::{
    ListAnswer, ListOptions, Request, ResourceVersionMatch, ScriptedListerWatcher, WatchAnswer,
    WatchOptions,
};
use crate::status::{SourceError, TimeoutPhase};
use crate::wire::{ApiStatus, ListMeta, RawEvent, RawObject, Rejected, StatusCause};

pub(crate) fn failure(kind: &str) -> SourceError {
    let io = |kind: ErrorKind| SourceError::from_transport(io::Error::from(kind));
    let status = |code, reason| SourceError::from(ApiStatus::new(code, reason, reason));
    let cause = |reason: &str, message: &str| StatusCause {
        reason: reason.to_owned(),
        message: message.to_owned(),
    };
    match kind {
        "refused" => io(ErrorKind::ConnectionRefused),
        "lost" => io(ErrorKind::ConnectionReset),
        "eof" => io(ErrorKind::UnexpectedEof),
        "cut" => SourceError::Truncated { bytes: 7 },
        "silent" => SourceError::Timeout {
            phase: TimeoutPhase::Progress,
            after: Duration::from_secs(30),
        },
        "malformed" => SourceError::Malformed("no JSON".to_owned()),
        "429" => status(429, "TooManyRequests"),
        "410" => status(410, "Expired"),
        "gone" => status(410, "Gone"),
        "500" => status(500, "InternalError"),
        "501" => status(501, "NotImplemented"),
        "503" => status(503, "ServiceUnavailable"),
        "corrupt" => status(500, "StorageReadError"),
        "400" => status(400, "BadRequest"),
        "401" => status(401, "Unauthorized"),
        "403" => status(403, "Forbidden"),
        "404" => status(404, "NotFound"),
        "405" => status(405, "MethodNotAllowed"),
        "406" => status(406, "NotAcceptable"),
        "415" => status(415, "UnsupportedMediaType"),
        "422" => status(422, "Invalid"),
        "large-cause" => SourceError::from(ApiStatus {
            causes: vec![cause("ResourceVersionTooLarge", "")],
            ..ApiStatus::new(504, "Timeout", "")
        }),
        "large-message-of-cause" => SourceError::from(ApiStatus {
            causes: vec![cause("", "Too large resource version")],
            ..ApiStatus::new(504, "Timeout", "")
        }),
        "large" => SourceError::from(ApiStatus::new(
            504,
            "Timeout",
            "Too large resource version: 10, current: 5",
        )),
        other => match other.strip_prefix("429-after-") {
            Some(seconds) => SourceError::from(ApiStatus {
                retry_after: Some(Duration::from_secs(seconds.parse().unwrap())),
                ..ApiStatus::new(429, "TooManyRequests", "")
            }),
            None => panic!("no such failure: {other}"),
        },
    }
}

/// Parses name, version, and the uid if there is one.
fn identity(text: &str) -> (&str, &str, Option<&str>) {
    let (name, version) = text.split_once('@').unwrap();
    match version.split_once('#') {
        Some((version, uid)) => (name, version, Some(uid)),
        None => (name, version, None),
    }
}

/// Parses an object such as `a@1`, `a@1#uid` or `a@1!`.
pub(crate) fn raw(text: &str) -> RawObject {
    let (text, decodes) = match text.strip_suffix('!') {
        Some(text) => (text, false),
        None => (text, true),
    };
    let (name, version, uid) = identity(text);
    let mut object = json!({
        "metadata": {"name": name, "uid": uid.unwrap_or(name), "resourceVersion": version},
        "data": {"version": version},
    });
    if !decodes {
        object["data"] = json!({"version": 7});
    }
    RawObject::from_value(&object).unwrap()
}

pub(crate) fn raws(count: usize) -> Vec<RawObject> {
    let name = |number| format!("o{:05}@{}", count - number, number + 1);
    (0..count).map(|number| raw(&name(number))).collect()
}

pub(crate) fn rejected() -> Rejected {
    RawObject::json(r#"{"metadata":{}}"#).unwrap_err()
}

/// Formats an object as `a@1`.
pub(crate) fn name(object: &ConfigMap) -> String {
    let metadata = &object.metadata;
    let version = metadata.resource_version.as_deref().unwrap_or_default();
    format!("{}@{version}", metadata.name.as_deref().unwrap_or_default())
}

pub(crate) fn event(text: &str) -> RawEvent {
    if let Some(kind) = text.strip_prefix("error:") {
        return RawEvent::Error(failure(kind).status().unwrap().clone());
    }
    if text == "rejected" {
        return RawEvent::Rejected(rejected());
    }
    match text.split_at(1) {
        ("+", object) => RawEvent::Added(raw(object)),
        ("~", object) => RawEvent::Modified(raw(object)),
        ("-", object) => RawEvent::Deleted(raw(object)),
        _ => match text.split_once('@').unwrap() {
            ("b", version) => RawEvent::bookmark(version),
            ("end", version) => RawEvent::initial_events_end(version),
            ("unknown", version) => RawEvent::Unknown {
                event_type: "PATCHED".to_owned(),
                resource_version: version.into(),
            },
            _ => panic!("no such event: {text}"),
        },
    }
}

/// Adds the answers of a script to a source.
pub(crate) fn play(source: &ScriptedListerWatcher, script: &str) {
    for answer in script.split('|') {
        let words: Vec<&str> = answer.split_whitespace().collect();
        match words.as_slice() {
            ["list", "never"] => source.on_list(ListAnswer::never()),
            ["list", "fails", kind] => source.on_list(ListAnswer::error(failure(kind))),
            ["list", version, objects @ ..] => source.on_list(list(version, objects)),
            ["watch", "never"] => source.on_watch(WatchAnswer::never()),
            ["watch", "fails", kind] => source.on_watch(WatchAnswer::error(failure(kind))),
            ["watch", events @ .., "then", "closes"] => {
                source.on_watch(WatchAnswer::events(events.iter().map(|text| event(text))))
            }
            ["watch", events @ .., "then", kind] => source.on_watch(WatchAnswer::breaks_off(
                events.iter().map(|text| event(text)),
                failure(kind),
            )),
            ["watch", events @ ..] => source.on_watch(WatchAnswer::stays_open(
                events.iter().map(|text| event(text)),
            )),
            other => panic!("no such answer: {other:?}"),
        };
    }
}

fn list(version: &str, objects: &[&str]) -> ListAnswer {
    let mut meta = ListMeta::at(version);
    let mut items = Vec::new();
    for text in objects {
        match text.strip_prefix("more=") {
            Some(token) => meta = ListMeta::page(version, token),
            None if *text == "rejected" => items.push(Err(rejected())),
            None => items.push(Ok(raw(text))),
        }
    }
    ListAnswer::results(items, meta)
}

/// Formats a LIST as `list 0 limit=500`. No version is `-`, and `NotOlderThan` is `>=`.
pub(crate) fn list_text(options: &ListOptions) -> String {
    let not_older = match options.resource_version_match {
        None => "",
        Some(ResourceVersionMatch::NotOlderThan) => ">=",
        Some(ResourceVersionMatch::Exact) => "=",
    };
    let version = version_text(&options.resource_version);
    let mut text = format!("list {not_older}{version}");
    if let Some(limit) = options.limit {
        write!(text, " limit={limit}").unwrap();
    }
    if let Some(token) = &options.continue_token {
        write!(text, " continue={token}").unwrap();
    }
    text
}

/// Formats a probe for a version as `probe 5`.
pub(crate) fn probe_text(options: &ListOptions) -> String {
    let newer_too = Some(ResourceVersionMatch::NotOlderThan);
    assert_eq!(
        (
            options.limit,
            options.resource_version_match,
            &options.continue_token
        ),
        (Some(1), newer_too, &None)
    );
    format!("probe {}", version_text(&options.resource_version))
}

/// Formats a WATCH as `watch 5`, or `stream 5` if it requests initial events.
pub(crate) fn watch_text(options: &WatchOptions) -> String {
    assert!(options.allow_bookmarks);
    let word = if options.send_initial_events {
        "stream"
    } else {
        "watch"
    };
    format!("{word} {}", version_text(&options.resource_version))
}

fn version_text(version: &crate::object::ResourceVersion) -> String {
    if version.is_unset() {
        "-".to_owned()
    } else {
        version.to_string()
    }
}

pub(crate) fn requests_text(requests: &[Request]) -> String {
    let text = |request: &Request| match request {
        Request::List(options) if options.limit == Some(1) => probe_text(options),
        Request::List(options) => list_text(options),
        Request::Watch(options) => watch_text(options),
    };
    requests.iter().map(text).collect::<Vec<_>>().join(", ")
}
