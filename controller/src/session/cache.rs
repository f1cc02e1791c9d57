//! [`Cache`]: an informer's store, as a session sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Deserialize as _;
use serde_json::Value;

use super::notes::{Note, Sight};
use super::write::OwnWrite;
use crate::base::names::qualified;
use crate::engine::{is_in_part, selection_of, store_of};
use crate::indexer::{Indexer, Snapshot};
use crate::object::{ResourceInfo, ResourceVersion};
use crate::shared_informer::{GenericInformer, Selectors};
use crate::storage::Entry;

/// Number of the next cache.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Store of an informer.
pub(super) struct Cache {
    /// Number that no other cache has.
    pub(super) number: u64,
    /// Plural name and group.
    pub(super) resource: Arc<str>,
    pub(super) informer: GenericInformer,
    pub(super) store: Indexer<Entry>,
    selectors: Selectors,
    /// Only names that the informer follows, if it is of a `ReferencedCache`.
    pub(super) names: Option<Arc<BTreeSet<String>>>,
}

/// Returns the plural name of a resource with its group.
pub(super) fn name_of(resource: &ResourceInfo) -> Arc<str> {
    let api = &resource.api_resource;
    qualified(&api.plural, &api.group)
}

// === impl Cache ===

impl Cache {
    pub(super) fn new(informer: GenericInformer) -> Self {
        let (selectors, names) = selection_of(&informer);
        Self {
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            resource: name_of(informer.resource()),
            store: store_of(&informer),
            informer,
            selectors,
            names,
        }
    }

    /// Reports whether a write may concern the cache.
    pub(super) fn follows(&self, write: &OwnWrite) -> bool {
        let names = self.names.as_ref().zip(write.name.as_ref());
        *self.resource == *write.resource
            && names.is_none_or(|(names, name)| names.contains(&**name))
    }

    pub(super) fn has_selectors(&self) -> bool {
        self.selectors.label.is_some() || self.selectors.field.is_some()
    }

    /// Returns `false` if the informer's scope or selectors leave the written object out. `object` is
    /// its content. Without, the write has not changed it, unless the outcome is unknown.
    pub(super) fn selects(&self, note: &Note, object: Option<&Value>) -> bool {
        let namespace = &note.write.namespace;
        let namespaces = self.informer.namespaces();
        let in_scope = namespaces.is_empty()
            || namespace.is_empty()
            || namespaces.iter().any(|cached| **cached == **namespace);
        let in_scope = in_scope && self.is_in_part(note);
        let Some(key) = note.write.key().filter(|_| in_scope) else {
            return in_scope;
        };
        let Selectors { label, field, .. } = &self.selectors;
        let Some(object) = object.filter(|_| self.has_selectors()) else {
            let is_held = || self.store.snapshot().entry(&key).is_some();
            return !self.has_selectors() || !note.is_without_content() || is_held();
        };
        let labels = object.pointer("/metadata/labels");
        let labels = labels.and_then(|labels| BTreeMap::deserialize(labels).ok());
        label
            .as_ref()
            .is_none_or(|label| label.matches(labels.as_ref()))
            && field
                .as_ref()
                .is_none_or(|field| field.matches_by(|path| text_at(object, path)))
    }

    /// Compares the cache with a write.
    pub(super) fn sight(&self, note: &Note) -> Sight {
        self.sight_in(&self.store.snapshot(), note)
    }

    pub(super) fn sight_in(&self, snapshot: &Snapshot<Entry>, note: &Note) -> Sight {
        let version = snapshot.version_of(&note.write.namespace);
        let holds = || {
            let key = note.write.key();
            let entry = key.and_then(|key| snapshot.entry(&key));
            entry.is_some_and(|entry| note.may_be(entry.uid.as_ref()))
        };
        let sight = note.sight(self.number, version, holds);
        let is_awaited = matches!(sight, Sight::Missing | Sight::Incomparable);
        // The slice of the object may have left.
        if is_awaited && !self.is_in_part(note) && !holds() {
            return Sight::LeftOut;
        }
        sight
    }

    /// Returns `false` if another replica caches the written object.
    fn is_in_part(&self, note: &Note) -> bool {
        let key = note.write.key();
        let uid = note.write.uid.as_ref();
        key.is_none_or(|key| is_in_part(&self.informer, &key, uid))
    }

    /// Returns the version of a namespace.
    pub(super) fn version(&self, namespace: &str) -> ResourceVersion {
        self.store.snapshot().version_of(namespace).clone()
    }
}

/// Returns the text of a scalar field.
fn text_at(object: &Value, path: &str) -> Option<String> {
    let value = object.pointer(&format!("/{}", path.replace('.', "/")))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
