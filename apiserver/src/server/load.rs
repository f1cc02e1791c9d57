//! Initial objects of a server: documents, and JSON files that are read as a stream.
//!
//! A file may be larger than the objects that it holds, so it is never in memory as a whole: each
//! object is created as soon as it has been read. `kubectl get -o json` writes `items` before
//! `kind`, so the first item has to tell whether a document is a list.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::error::StartError;
use crate::control::{Control, complete_item};
use crate::shared::Shared;
use crate::status::ApiError;

/// Size of the read buffer, in bytes.
const BLOCK: usize = 256 * 1024;

/// Initial object or file.
#[derive(Debug)]
pub(crate) enum Preload {
    Document(Value),
    /// An object that cannot be serialized, with the reason.
    Unserializable(String),
    /// File of JSON.
    File(PathBuf),
}

/// Creates the objects of `preload`. If `restored`, existing objects are not changed.
pub(crate) async fn load(
    shared: &Arc<Shared>,
    preload: Preload,
    restored: bool,
) -> Result<(), StartError> {
    let control = Control::new(Arc::clone(shared));
    let create = move |object| {
        let created = control.load(object);
        if restored {
            unless_known(created)
        } else {
            created.map_err(StartError::Create)
        }
    };
    match preload {
        Preload::Document(document) => create(document),
        Preload::Unserializable(reason) => Err(StartError::Serialize(reason)),
        Preload::File(path) => {
            let reading = tokio::task::spawn_blocking(move || load_file(&path, create));
            reading.await.unwrap_or_else(|error| {
                let reason = format!("the task that reads the file failed: {error}");
                Err(StartError::Serialize(reason))
            })
        }
    }
}

/// Ignores the error for an object that exists already, for example from before a restart.
pub(crate) fn unless_known(created: Result<(), ApiError>) -> Result<(), StartError> {
    match created {
        Err(error) if error.reason() == "AlreadyExists" => Ok(()),
        result => result.map_err(StartError::Create),
    }
}

fn load_file(
    path: &Path,
    create: impl FnMut(Value) -> Result<(), StartError>,
) -> Result<(), StartError> {
    let failed = |source: Box<dyn std::error::Error + Send + Sync>| StartError::Load {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(|error| failed(error.into()))?;
    read(BufReader::with_capacity(BLOCK, file), create).map_err(|stopped| match stopped {
        Stopped::Read(error) => failed(error.into()),
        Stopped::Create(error) => error,
    })
}

/// Error that stopped the reading.
#[derive(Debug)]
enum Stopped<E> {
    Read(serde_json::Error),
    /// Error of `create`.
    Create(E),
}

/// Passes every object of the documents in `text` to `create`, in order; of a list, each item.
fn read<E>(
    text: impl std::io::Read,
    create: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), Stopped<E>> {
    let mut json = serde_json::Deserializer::from_reader(text);
    let mut sink = Sink {
        create,
        rejection: None,
    };
    // `end` succeeds when only white space is left.
    while json.end().is_err() {
        let read = Document(&mut sink).deserialize(&mut json);
        match (sink.rejection.take(), read) {
            (Some(rejection), _) => return Err(Stopped::Create(rejection)),
            (None, Err(error)) => return Err(Stopped::Read(error)),
            (None, Ok(())) => {}
        }
    }
    Ok(())
}

/// Receiver of the objects.
struct Sink<F, E> {
    create: F,
    rejection: Option<E>,
}

impl<E, F: FnMut(Value) -> Result<(), E>> Sink<F, E> {
    /// Creates `object`. A rejection stops the parser like a syntax error.
    fn put<R: serde::de::Error>(&mut self, object: Value) -> Result<(), R> {
        (self.create)(object).map_err(|rejection| {
            self.rejection = Some(rejection);
            R::custom("object rejected")
        })
    }
}

/// One document: an object, or a list of objects.
struct Document<'a, F, E>(&'a mut Sink<F, E>);

impl<'de, E, F: FnMut(Value) -> Result<(), E>> DeserializeSeed<'de> for Document<'_, F, E> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> Visitor<'de> for Document<'_, F, E> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list of objects")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut members = Map::new();
        let mut is_list = false;
        while let Some(name) = map.next_key::<String>()? {
            let kind = members.get("kind").and_then(Value::as_str);
            if name != "items" || kind.is_some_and(|kind| !kind.ends_with("List")) {
                members.insert(name, map.next_value()?);
                continue;
            }
            let items = Items {
                sink: &mut *self.0,
                kind: kind.and_then(|kind| kind.strip_suffix("List")),
                api_version: members.get("apiVersion").and_then(Value::as_str),
            };
            match map.next_value_seed(items)? {
                None => is_list = true,
                Some(items) => _ = members.insert(name, items),
            }
        }
        if is_list {
            return Ok(());
        }
        self.0.put(Value::Object(members))
    }
}

/// The member `items`, which belongs to a list if its first element is an object of the API.
struct Items<'a, F, E> {
    sink: &'a mut Sink<F, E>,
    /// Kind of the items that have no `kind` member, as in a list of one kind.
    kind: Option<&'a str>,
    api_version: Option<&'a str>,
}

impl<E, F> Items<'_, F, E> {
    fn complete(&self, item: &mut Value) -> bool {
        complete_item(item, self.kind, self.api_version)
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> DeserializeSeed<'de> for Items<'_, F, E> {
    /// The member's value, if its elements are not items of a list.
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> Visitor<'de> for Items<'_, F, E> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the items of a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let Some(mut first) = seq.next_element::<Value>()? else {
            return Ok(None);
        };
        if !self.complete(&mut first) {
            let mut values = vec![first];
            while let Some(value) = seq.next_element()? {
                values.push(value);
            }
            return Ok(Some(Value::Array(values)));
        }
        self.sink.put(first)?;
        while let Some(mut item) = seq.next_element()? {
            self.complete(&mut item);
            self.sink.put(item)?;
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Stopped, read};

    fn names(text: &str) -> Vec<String> {
        let mut names = Vec::new();
        read(text.as_bytes(), |object| {
            let text = |field: &str| object[field].as_str().unwrap_or("-").to_owned();
            names.push(format!(
                "{} {} {}",
                text("apiVersion"),
                text("kind"),
                text("n")
            ));
            Ok::<(), ()>(())
        })
        .unwrap();
        names
    }

    #[test]
    fn objects_are_read_from_documents_and_lists() {
        let pod = |n: &str| json!({ "apiVersion": "v1", "kind": "Pod", "n": n });
        let sorted = json!({ "apiVersion": "v1", "items": [pod("b"), pod("c")], "kind": "List" });
        let bare = r#"{"kind":"PodList","apiVersion":"v1","items":[{"n":"d"},{"n":"e"}]}"#;
        let text = format!("{}\n{sorted} {bare}\n", pod("a"));
        let expected = ["a", "b", "c", "d", "e"].map(|n| format!("v1 Pod {n}"));
        assert_eq!(names(&text), expected);
        assert_eq!(names(r#"{"kind":"List","items":[]}"#), [""; 0]);
        assert_eq!(names(" \n"), [""; 0]);
    }

    #[test]
    fn the_items_of_an_object_are_not_a_list() {
        let after = r#"{"apiVersion":"v1","kind":"Menu","items":[{"kind":"x"}],"n":"a"}"#;
        let before = r#"{"apiVersion":"v1","items":["soup"],"kind":"Menu","n":"b"}"#;
        assert_eq!(names(after), ["v1 Menu a"]);
        assert_eq!(names(before), ["v1 Menu b"]);
    }

    #[test]
    fn reading_stops_at_the_first_error_of_the_parser_or_the_sink() {
        let list = r#"{"kind":"List","items":[{"kind":"A","apiVersion":"v1"},{"kind":"B"},"#;
        let mut seen = 0;
        let stopped = read(list.as_bytes(), |_| {
            seen += 1;
            Ok::<(), ()>(())
        });
        assert!(matches!(stopped, Err(Stopped::Read(error)) if error.is_eof()));
        assert_eq!(seen, 2);
        let stopped = read(list.as_bytes(), |_| Err("no"));
        assert!(matches!(stopped, Err(Stopped::Create("no"))));
    }
}
