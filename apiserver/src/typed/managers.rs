//! Managers of an object: the decoded `metadata.managedFields`.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::set::Set;
use crate::document::str_of;

/// Maximum number of entries for updates; the oldest further entries are merged.
const MAX_UPDATERS: usize = 10;

/// Manager of the merged entries.
const ANCIENT: &str = "ancient-changes";

/// Identity of a manager, which distinguishes the entries of `managedFields`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Identity {
    pub(crate) manager: String,
    /// `true` for the entry of applied fields, `false` for that of other writes.
    pub(crate) applies: bool,
    /// Version of the entry; empty for applied fields, which have one entry for all versions.
    pub(super) version: String,
    pub(crate) subresource: String,
}

/// Fields of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owned {
    pub(crate) set: Set,
    pub(crate) api_version: String,
    /// Time as Kubernetes writes it. An entry need not have one.
    pub(crate) time: Option<String>,
}

/// All managers of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Managers(pub(super) BTreeMap<Identity, Owned>);

// === impl Identity ===

impl Identity {
    pub(crate) fn applier(manager: &str, subresource: &str) -> Self {
        Self {
            manager: manager.to_owned(),
            applies: true,
            version: String::new(),
            subresource: subresource.to_owned(),
        }
    }

    pub(crate) fn updater(manager: &str, api_version: &str, subresource: &str) -> Self {
        let manager = if manager.is_empty() {
            "unknown"
        } else {
            manager
        };
        Self {
            manager: manager.to_owned(),
            applies: false,
            version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }

    fn operation(&self) -> &'static str {
        if self.applies { "Apply" } else { "Update" }
    }
}

// === impl Owned ===

impl Owned {
    fn seconds(&self) -> i64 {
        let time = self.time.as_deref().and_then(|time| time.parse().ok());
        time.map_or(0, |time: jiff::Timestamp| time.as_second())
    }
}

// === impl Managers ===

impl Managers {
    /// Takes fields from all managers, and removes the managers that own nothing else.
    pub(super) fn lose(&mut self, fields: &Set) {
        self.0.retain(|_, owned| {
            owned.set = std::mem::take(&mut owned.set).difference(fields);
            !owned.set.is_empty()
        });
    }

    /// Decodes `metadata.managedFields`.
    pub(crate) fn decode(entries: &Value) -> Result<Self, String> {
        let entries = entries.as_array().ok_or("managedFields is not a list")?;
        let mut managers = BTreeMap::new();
        for (at, entry) in entries.iter().enumerate() {
            let text = |field: &str| str_of(entry.get(field)).to_owned();
            let operation = text("operation");
            let api_version = text("apiVersion");
            let applies = operation == "Apply";
            if !(applies || operation == "Update")
                || api_version.is_empty()
                || text("fieldsType") != "FieldsV1"
            {
                return Err(format!("invalid managed fields entry {at}"));
            }
            let identity = Identity {
                manager: text("manager"),
                applies,
                version: if applies {
                    String::new()
                } else {
                    api_version.clone()
                },
                subresource: text("subresource"),
            };
            let set = entry.get("fieldsV1").map(Set::from_v1).transpose()?;
            let owned = Owned {
                set: set.unwrap_or_default(),
                api_version,
                time: entry.get("time").and_then(Value::as_str).map(str::to_owned),
            };
            managers.insert(identity, owned);
        }
        Ok(Self(managers))
    }

    /// Encodes `metadata.managedFields`, sorted by operation, then by time.
    pub(crate) fn encode(&self) -> Value {
        let mut entries: Vec<_> = self
            .0
            .iter()
            .map(|(identity, owned)| (owned.seconds(), identity, owned))
            .collect();
        entries.sort_by(|(then, a, x), (now, b, y)| {
            let kind = (a.operation(), then).cmp(&(b.operation(), now));
            kind.then_with(|| a.manager.cmp(&b.manager))
                .then_with(|| x.api_version.cmp(&y.api_version))
                .then_with(|| a.subresource.cmp(&b.subresource))
        });
        let entries = entries.into_iter().map(|(_, identity, owned)| {
            let mut entry = Map::new();
            let mut put = |field: &str, text: &str| {
                if !text.is_empty() {
                    entry.insert(field.to_owned(), text.into());
                }
            };
            put("manager", &identity.manager);
            put("operation", identity.operation());
            put("apiVersion", &owned.api_version);
            put("time", owned.time.as_deref().unwrap_or_default());
            put("fieldsType", "FieldsV1");
            put("subresource", &identity.subresource);
            entry.insert("fieldsV1".to_owned(), owned.set.to_v1());
            Value::Object(entry)
        });
        Value::Array(entries.collect())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the union of all owned fields.
    pub(super) fn all(&self) -> Set {
        self.0
            .values()
            .map(|owned| &owned.set)
            .fold(Set::default(), Set::union)
    }

    /// Merges the oldest entries of updates until their number is within the limit.
    pub(super) fn cap(&mut self) {
        let mut updaters: Vec<(i64, Identity)> = self
            .0
            .iter()
            .filter(|(identity, _)| !identity.applies)
            .map(|(identity, owned)| (owned.seconds(), identity.clone()))
            .collect();
        let mut left = updaters.len();
        if left <= MAX_UPDATERS {
            return;
        }
        updaters.sort();
        let mut first_of: BTreeMap<String, Identity> = BTreeMap::new();
        for (_, identity) in updaters {
            if left <= MAX_UPDATERS {
                return;
            }
            let version = identity.version.clone();
            let Some(first) = first_of.get(&version) else {
                first_of.insert(version, identity);
                continue;
            };
            let bucket = Identity::updater(ANCIENT, &version, "");
            if !self.0.contains_key(&bucket)
                && let Some(owned) = self.0.remove(first)
            {
                self.0.insert(bucket.clone(), owned);
            }
            if let Some(newer) = self.0.remove(&identity)
                && let Some(owned) = self.0.get_mut(&bucket)
            {
                owned.set = std::mem::take(&mut owned.set).union(&newer.set);
                owned.time = newer.time;
            }
            left -= 1;
        }
    }
}

/// Reports whether two values of `managedFields` are equal except for their times.
pub(crate) fn same_but_for_times(a: &Value, b: &Value) -> bool {
    let timeless = |entry: &Value| {
        let mut entry = entry.clone();
        if let Some(fields) = entry.as_object_mut() {
            fields.remove("time");
        }
        entry
    };
    match (a.as_array(), b.as_array()) {
        (Some(a), Some(b)) => {
            a.len() == b.len()
                && a.iter()
                    .zip(b)
                    .all(|(a, b)| a == b || timeless(a) == timeless(b))
        }
        _ => false,
    }
}
