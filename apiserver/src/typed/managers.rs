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
        let named = match manager {
            "" => "unknown",
            given => given,
        };
        Self {
            manager: named.to_owned(),
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
        let text = self.time.as_deref().unwrap_or_default();
        match text.parse::<jiff::Timestamp>() {
            Ok(time) => time.as_second(),
            Err(_) => 0,
        }
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
        let Value::Array(list) = entries else {
            return Err("managedFields is not a list".to_owned());
        };
        let mut managers = BTreeMap::new();
        for (at, entry) in list.iter().enumerate() {
            let invalid = || format!("invalid managed fields entry {at}");
            let text = |field: &str| str_of(entry.get(field)).to_owned();
            let api_version = text("apiVersion");
            if api_version.is_empty() || text("fieldsType") != "FieldsV1" {
                return Err(invalid());
            }
            let mut identity = Identity::applier(&text("manager"), &text("subresource"));
            match text("operation").as_str() {
                "Apply" => {}
                "Update" => {
                    identity.applies = false;
                    identity.version.clone_from(&api_version);
                }
                _ => return Err(invalid()),
            }
            let mut owned = Owned {
                set: Set::default(),
                api_version,
                time: None,
            };
            if let Some(fields) = entry.get("fieldsV1") {
                owned.set = Set::from_v1(fields)?;
            }
            if let Some(Value::String(time)) = entry.get("time") {
                owned.time = Some(time.clone());
            }
            managers.insert(identity, owned);
        }
        Ok(Self(managers))
    }

    /// Encodes `metadata.managedFields`, sorted by operation, then by time.
    pub(crate) fn encode(&self) -> Value {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_by_cached_key(|&(identity, owned)| {
            (
                identity.operation(),
                owned.seconds(),
                identity.manager.as_str(),
                owned.api_version.as_str(),
                identity.subresource.as_str(),
            )
        });
        let mut encoded = Vec::new();
        for (identity, owned) in entries {
            encoded.push(entry_of(identity, owned));
        }
        Value::Array(encoded)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the union of all owned fields.
    pub(super) fn all(&self) -> Set {
        let mut all = Set::default();
        for owned in self.0.values() {
            all.extend(&owned.set);
        }
        all
    }

    /// Merges the oldest entries of updates until their number is within the limit.
    pub(super) fn cap(&mut self) {
        let mut updaters = Vec::new();
        for (identity, owned) in &self.0 {
            if !identity.applies {
                updaters.push((owned.seconds(), identity.clone()));
            }
        }
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
                owned.set.extend(&newer.set);
                owned.time = newer.time;
            }
            left -= 1;
        }
    }
}

/// Encodes an entry of `managedFields`. Empty members are omitted.
fn entry_of(identity: &Identity, owned: &Owned) -> Value {
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
}

/// Reports whether two values of `managedFields` are equal except for their times.
pub(crate) fn same_but_for_times(a: &Value, b: &Value) -> bool {
    let (Value::Array(a), Value::Array(b)) = (a, b) else {
        return false;
    };
    if a.len() != b.len() {
        return false;
    }
    for (one, other) in a.iter().zip(b) {
        if one != other && timeless(one) != timeless(other) {
            return false;
        }
    }
    true
}

fn timeless(entry: &Value) -> Value {
    let mut rest = entry.clone();
    if let Value::Object(fields) = &mut rest {
        fields.remove("time");
    }
    rest
}
