//! What a server starts with: documents, and JSON files that are read as a stream.
//!
//! A file may be larger than what is made of it, so it is never in memory as a whole: each object
//! is created when it has been read. `kubectl get -o json` writes `items` before `kind`, and so what
//! a list is must show in its first item.

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

/// How much of a file is read at once.
const BLOCK: usize = 256 * 1024;

/// One thing to start with.
#[derive(Debug)]
pub(crate) enum Preload {
    Document(Value),
    /// Why an object is no document.
    Unserializable(String),
    /// A file of JSON.
    File(PathBuf),
}

/// Creates it. With `restored` what is there already stays as it is.
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
        Preload::Unserializable(why) => Err(StartError::Serialize(why)),
        Preload::File(path) => {
            let reading = tokio::task::spawn_blocking(move || load_file(&path, create));
            reading.await.unwrap_or_else(|error| {
                let why = format!("reading was given up: {error}");
                Err(StartError::Serialize(why))
            })
        }
    }
}

/// What is there already, from before a restart, is no failure.
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

/// Why reading has ended before the end.
#[derive(Debug)]
enum Stopped<E> {
    Read(serde_json::Error),
    /// What `create` said.
    Create(E),
}

/// Hands every object of the documents in `text` to `create`, in order, those of lists one by one.
fn read<E>(
    text: impl std::io::Read,
    create: impl FnMut(Value) -> Result<(), E>,
) -> Result<(), Stopped<E>> {
    let mut json = serde_json::Deserializer::from_reader(text);
    let mut sink = Sink {
        create,
        refusal: None,
    };
    // Until nothing but white space is left.
    while json.end().is_err() {
        let read = Document(&mut sink).deserialize(&mut json);
        match (sink.refusal.take(), read) {
            (Some(refusal), _) => return Err(Stopped::Create(refusal)),
            (None, Err(error)) => return Err(Stopped::Read(error)),
            (None, Ok(())) => {}
        }
    }
    Ok(())
}

/// Where objects go.
struct Sink<F, E> {
    create: F,
    refusal: Option<E>,
}

impl<E, F: FnMut(Value) -> Result<(), E>> Sink<F, E> {
    /// Creates `object`; a refusal ends the reading as an error of the format does.
    fn put<R: serde::de::Error>(&mut self, object: Value) -> Result<(), R> {
        (self.create)(object).map_err(|refusal| {
            self.refusal = Some(refusal);
            R::custom("refused")
        })
    }
}

/// One document: an object, or a list of them.
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

/// The member `items`, which is a list's if its first element is an object of the API.
struct Items<'a, F, E> {
    sink: &'a mut Sink<F, E>,
    /// What the items are that do not say it themselves, as in lists of one kind.
    kind: Option<&'a str>,
    api_version: Option<&'a str>,
}

impl<E, F> Items<'_, F, E> {
    fn complete(&self, item: &mut Value) -> bool {
        complete_item(item, self.kind, self.api_version)
    }
}

impl<'de, E, F: FnMut(Value) -> Result<(), E>> DeserializeSeed<'de> for Items<'_, F, E> {
    /// The value, if these are no items of a list.
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
    fn objects_come_from_documents_and_from_lists_of_all_sorts() {
        let one = |n: &str| json!({ "apiVersion": "v1", "kind": "Pod", "n": n });
        let sorted = json!({ "apiVersion": "v1", "items": [one("b"), one("c")], "kind": "List" });
        let bare = r#"{"kind":"PodList","apiVersion":"v1","items":[{"n":"d"},{"n":"e"}]}"#;
        let text = format!("{}\n{sorted} {bare}\n", one("a"));
        let expected = ["a", "b", "c", "d", "e"].map(|n| format!("v1 Pod {n}"));
        assert_eq!(names(&text), expected);
        assert_eq!(names(r#"{"kind":"List","items":[]}"#), [""; 0]);
        assert_eq!(names(" \n"), [""; 0]);
    }

    #[test]
    fn items_of_an_object_stay_its_own() {
        let after = r#"{"apiVersion":"v1","kind":"Menu","items":[{"kind":"x"}],"n":"a"}"#;
        let before = r#"{"apiVersion":"v1","items":["soup"],"kind":"Menu","n":"b"}"#;
        assert_eq!(names(after), ["v1 Menu a"]);
        assert_eq!(names(before), ["v1 Menu b"]);
    }

    #[test]
    fn reading_ends_with_the_first_error_of_either_side() {
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
