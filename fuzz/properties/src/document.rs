//! Expected results of splitters, derived from the decoded document.

use informer_runtime::wire::{DropFields, Header, ListMeta, RawEvent, RawObject, Rejected};
use informer_runtime::{ObjectKey, ResourceVersion, Uid};
use serde_json::Value;

use crate::object::removed;

/// Expected result for one object.
#[derive(Debug)]
pub(super) enum Expected<'a> {
    Object(Header, &'a Value),
    Rejected,
    /// Depends on the order of the object's members.
    Either,
}

/// Expected result for one event.
#[derive(Debug)]
pub(super) enum Watched<'a> {
    Object(&'a str, Expected<'a>),
    Bookmark(&'a str, bool),
    Error,
    Unknown(&'a str, &'a str),
    Rejected,
    /// Depends on the order of the object's members.
    Any,
}

/// Returns a string member; empty if it is missing. Fails if it is of another type.
fn text<'a>(object: &'a Value, name: &str) -> Result<&'a str, ()> {
    match object.get(name) {
        None | Some(Value::Null) => Ok(""),
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(()),
    }
}

/// Returns the metadata of a list; `None` if the document is not a list.
pub(super) fn list_meta(list: &Value) -> Option<ListMeta> {
    list.as_object()?;
    let kind = list["kind"].as_str().filter(|kind| !kind.is_empty());
    let empty = serde_json::Map::new();
    let meta = match list.get("metadata") {
        None | Some(Value::Null) => &Value::Object(empty),
        Some(meta) => meta,
    };
    meta.as_object()?;
    let version = text(meta, "resourceVersion").ok()?;
    let is_list = kind.map_or(!version.is_empty(), |kind| kind.ends_with("List"));
    if !is_list || !meta["name"].is_null() {
        return None;
    }
    let token = text(meta, "continue").ok()?;
    let count = match &meta["remainingItemCount"] {
        Value::Null => None,
        count => Some(count.as_i64()?),
    };
    let shard = match &meta["shardInfo"] {
        Value::Null => None,
        info => Some(info["selector"].as_str()?.to_owned()),
    };
    Some(ListMeta {
        resource_version: ResourceVersion::new(version),
        continue_token: Some(token.to_owned()).filter(|token| !token.is_empty()),
        remaining_item_count: count.and_then(|count| u64::try_from(count).ok()),
        shard_selector: shard,
    })
}

/// Returns the header of an object; `None` if the header is incomplete.
fn header(object: &Value) -> Option<Header> {
    let metadata = object
        .get("metadata")
        .filter(|metadata| metadata.is_object())?;
    let member = |name| text(metadata, name).ok();
    let (namespace, name, uid) = (member("namespace")?, member("name")?, member("uid")?);
    let resource_version = ResourceVersion::new(member("resourceVersion")?);
    (!name.is_empty()).then(|| Header {
        key: ObjectKey::new(Some(namespace), name),
        uid: Some(uid).filter(|uid| !uid.is_empty()).map(Uid::new),
        resource_version,
    })
}

// === impl Expected ===

impl<'a> Expected<'a> {
    pub(super) fn of(object: &'a Value) -> Self {
        // The header reader stops after `metadata`, so it may or may not see an invalid type.
        let is_type = |name| text(object, name).is_ok();
        if !is_type("kind") || !is_type("apiVersion") || object["kind"] == "Table" {
            return Self::Either;
        }
        header(object).map_or(Self::Rejected, |header| Self::Object(header, object))
    }

    pub(super) fn check_header(&self, found: &RawObject) {
        match self {
            Self::Object(header, _) => assert_eq!(found.header(), header),
            Self::Rejected => panic!("{found:?} has no header"),
            Self::Either => {}
        }
    }

    /// Compares what was found, without the fields that were cut.
    pub(super) fn check(&self, found: Result<&RawObject, &Rejected>, cut: &DropFields) {
        match (self, found) {
            (Self::Either, _) | (Self::Rejected, Err(_)) => {}
            (Self::Object(_, document), Ok(object)) => {
                self.check_header(object);
                let mut document = removed((*document).clone(), cut);
                if let Some(Value::Object(metadata)) = document.get_mut("metadata") {
                    metadata.remove("managedFields");
                }
                let bytes: Value =
                    serde_json::from_slice(object.bytes()).expect("the bytes are JSON");
                assert_eq!(bytes, document);
            }
            (expected, found) => panic!("{found:?} instead of {expected:?}"),
        }
    }
}

// === impl Watched ===

impl<'a> Watched<'a> {
    pub(super) fn of(event: &'a Value) -> Self {
        let Some(event_type) = event.get("type").and_then(Value::as_str) else {
            return Self::Rejected;
        };
        let Some(object) = event.get("object") else {
            return Self::Rejected;
        };
        if let "ADDED" | "MODIFIED" | "DELETED" = event_type {
            return Self::Object(event_type, Expected::of(object));
        }
        if event_type == "ERROR" {
            return Self::Error;
        }
        let Expected::Object(header, _) = Expected::of(object) else {
            return Self::Any;
        };
        let version = object["metadata"]["resourceVersion"].as_str().unwrap_or("");
        debug_assert_eq!(header.resource_version.to_string(), version);
        match event_type {
            "BOOKMARK" if version.is_empty() => Self::Rejected,
            "BOOKMARK" => {
                let annotations = &object["metadata"]["annotations"];
                let ends = annotations["k8s.io/initial-events-end"] == "true";
                Self::Bookmark(version, ends)
            }
            other => Self::Unknown(other, version),
        }
    }

    pub(super) fn check(&self, found: &RawEvent, cut: &DropFields) {
        match (self, found) {
            (Self::Object("ADDED", expected), RawEvent::Added(object))
            | (Self::Object("MODIFIED", expected), RawEvent::Modified(object))
            | (Self::Object("DELETED", expected), RawEvent::Deleted(object)) => {
                expected.check(Ok(object), cut);
            }
            (Self::Object(_, expected), RawEvent::Rejected(rejected)) => {
                expected.check(Err(rejected), cut);
            }
            (
                Self::Bookmark(version, ends),
                RawEvent::Bookmark {
                    resource_version,
                    initial_events_end,
                },
            ) => {
                assert_eq!(
                    (&*resource_version.to_string(), initial_events_end),
                    (*version, ends)
                );
            }
            (
                Self::Unknown(expected, version),
                RawEvent::Unknown {
                    event_type,
                    resource_version,
                },
            ) => {
                assert_eq!(resource_version.to_string(), *version);
                assert!(event_type.chars().count() <= expected.chars().count());
            }
            (Self::Error, RawEvent::Error(_))
            | (Self::Rejected, RawEvent::Rejected(_))
            | (Self::Any, _) => {}
            (expected, found) => panic!("{found:?} instead of {expected:?}"),
        }
    }
}
