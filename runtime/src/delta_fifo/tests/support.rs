//! Text forms of deltas, batches and stored objects.
//!
//! A delta is `+a@1` (added), `~a@2` (updated), `-a@3` (deleted, with its final state), `!a@4`
//! (undecodable), `[5,a@1,b@2]` (a list), `b@6` (a bookmark), or `sync`. Popped batches also
//! contain `*a@1`, an object of a list, and `?a`, a tombstone whose object is in the store.

use std::collections::BTreeSet;
use std::iter;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::json;

use crate::delta_fifo::{Batch, Delta, KnownObjects, Listed, Order, Removed, Replacement};
use crate::object::{Footprint, ObjectKey, ResourceVersion, Uid};
use crate::storage::{Entry, ObjectError, Undecodable};
use crate::wire::RawObject;

/// Object: its version.
pub(crate) type Version = String;

/// Stored keys. Clones share them.
#[derive(Debug, Default, Clone)]
pub(super) struct Known(Arc<Mutex<BTreeSet<ObjectKey>>>);

impl KnownObjects for Known {
    fn is_known(&self, key: &ObjectKey) -> bool {
        self.0.lock().contains(key)
    }
    fn known_keys(&self) -> Vec<ObjectKey> {
        self.0.lock().iter().cloned().collect()
    }
}

impl Known {
    pub(super) fn new(text: &str) -> Self {
        let known = Self::default();
        known.set(text);
        known
    }

    fn set(&self, text: &str) {
        let keys = text.split_whitespace().map(|text| entry(text).key);
        *self.0.lock() = keys.collect();
    }
}

/// Parses `a@1` or `a@1#uid`; `n/a@1` is in a namespace. The size of an object is its version, if that is a number.
pub(crate) fn entry(text: &str) -> Entry {
    let (name, version) = text.split_once('@').unwrap();
    let (version, uid) = version.split_once('#').unwrap_or((version, name));
    let key = match name.split_once('/') {
        Some((namespace, name)) => ObjectKey::namespaced(namespace, name),
        None => ObjectKey::cluster(name),
    };
    Entry {
        key,
        uid: Some(Uid::new(uid)),
        resource_version: ResourceVersion::new(version),
        footprint: Footprint::new(version.parse().unwrap_or(0)),
        object: Arc::new(version.to_owned()),
    }
}

fn undecodable(text: &str) -> Undecodable {
    let entry = entry(text);
    let raw = RawObject::from_value(&json!({"metadata": {"name": "a"}})).unwrap();
    let error = raw.decode::<u8>().unwrap_err();
    Undecodable {
        key: entry.key,
        uid: entry.uid,
        resource_version: entry.resource_version,
        error: Arc::new(ObjectError::Decode(error)),
    }
}

pub(crate) fn delta(text: &str) -> Delta {
    if text == "sync" {
        return Delta::Sync(Vec::new());
    }
    if let Some(version) = text.strip_prefix("b@") {
        let (namespace, resource_version) = scoped(version);
        return Delta::Bookmark {
            namespace,
            resource_version,
            ends_list: false,
        };
    }
    if let Some(list) = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        let mut words = list.split(',');
        let (namespace, resource_version) = scoped(words.next().unwrap());
        let listed = |text: &str| match text.strip_prefix('!') {
            Some(text) => Listed::Undecodable(Box::new(undecodable(text))),
            None => Listed::Changed(entry(text).into()),
        };
        return Delta::ReplacedAll(Replacement {
            namespace,
            items: words.map(listed).collect(),
            resource_version,
            part: None,
        });
    }
    match text.split_at(1) {
        ("+", text) => Delta::Added(entry(text).into()),
        ("~", text) => Delta::Updated(entry(text).into()),
        ("-", text) => {
            let entry = entry(text);
            Delta::Deleted(Removed {
                key: entry.key.clone(),
                uid: entry.uid.clone(),
                resource_version: entry.resource_version.clone(),
                object: Some(entry.into()),
                final_state_unknown: false,
                is_filtered: false,
            })
        }
        ("!", text) => Delta::Undecodable(undecodable(text)),
        _ => panic!("no such delta: {text}"),
    }
}

/// Parses a version, `n:5` of a namespace.
fn scoped(text: &str) -> (Option<Arc<str>>, ResourceVersion) {
    match text.split_once(':') {
        Some((namespace, version)) => (Some(namespace.into()), version.into()),
        None => (None, text.into()),
    }
}

fn version(entry: &Entry) -> &Version {
    entry.typed()
}

fn listed_text(listed: &Listed) -> String {
    match listed {
        Listed::Changed(entry) | Listed::Unchanged(entry) | Listed::Restored(entry) => {
            format!("{}@{}", entry.key, version(entry))
        }
        Listed::Filtered(entry) => format!("{}@{}", entry.key, version(entry)),
        Listed::Undecodable(object) => format!("!{}@{}", object.key, object.resource_version),
    }
}

fn delta_text(delta: &Delta) -> String {
    match delta {
        Delta::Added(entry) => format!("+{}@{}", entry.key, version(entry)),
        Delta::Updated(entry) => format!("~{}@{}", entry.key, version(entry)),
        Delta::Deleted(removed) => {
            let sign = if removed.final_state_unknown {
                '?'
            } else {
                '-'
            };
            match &removed.object {
                Some(object) => format!("{sign}{}@{}", removed.key, version(object)),
                None => format!("{sign}{}", removed.key),
            }
        }
        Delta::Undecodable(object) => format!("!{}@{}", object.key, object.resource_version),
        Delta::Replaced(listed) => format!("*{}", listed_text(listed)),
        Delta::ReplacedAll(list) => {
            let version = list.resource_version.to_string();
            let items = list.items.iter().map(listed_text);
            let texts: Vec<_> = iter::once(version).chain(items).collect();
            format!("[{}]", texts.join(","))
        }
        Delta::Sync(_) => "sync".to_owned(),
        Delta::Bookmark {
            namespace,
            resource_version,
            ends_list,
        } => {
            let what = if *ends_list { "end" } else { "b" };
            let of = namespace.iter().map(|namespace| format!("{namespace}:"));
            format!("{what}@{}{resource_version}", of.collect::<String>())
        }
    }
}

/// Returns the deltas as text. The end of a list is `end@5`, in a queue by key.
pub(super) fn batch_text(batch: &Batch) -> String {
    let deltas: Vec<String> = batch.deltas.iter().map(delta_text).collect();
    deltas.join(" ")
}

/// Runs a script through a queue of this order. `pop` and `pop:MAX` take a batch,
/// `store:a@1,b@2` sets the stored objects, and every other word is pushed. Returns the batches,
/// separated by bars.
pub(super) fn run(order: Order, script: &str) -> String {
    let known = Known::default();
    let mut queue = order.queue(Arc::new(known.clone()));
    let mut taken = Vec::new();
    for word in script.split_whitespace() {
        if let Some(stored) = word.strip_prefix("store:") {
            known.set(&stored.replace(',', " "));
        } else if let Some(max) = word.strip_prefix("pop") {
            let max = max
                .strip_prefix(':')
                .map_or(1000, |max| max.parse().unwrap());
            taken.push(
                queue
                    .pop(max)
                    .map_or_else(String::new, |batch| batch_text(&batch)),
            );
        } else {
            queue.push(delta(word));
        }
    }
    taken.join(" | ")
}
