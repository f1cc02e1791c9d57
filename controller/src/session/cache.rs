//! [`Cache`]: an informer's store, as a session sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use super::notes::{Note, Shown, Sight, Stored};
use crate::base::names::qualified;
use crate::engine::{selection_of, store_of, version_of};
use crate::indexer::{Indexer, Snapshot};
use crate::object::{ObjectKey, ResourceInfo, ResourceVersion};
use crate::shared_informer::{GenericInformer, Selectors};
use crate::storage::Entry;

/// Store of an informer.
pub(super) struct Cache {
    /// Number within the session.
    pub(super) number: u64,
    /// Plural name and group.
    pub(super) resource: Arc<str>,
    pub(super) informer: GenericInformer,
    pub(super) store: Indexer<Entry>,
    selectors: Selectors,
    names: Option<Arc<BTreeSet<String>>>,
}

/// Written object, as far as selectors need it.
pub(super) struct Written<'a> {
    pub(super) namespace: &'a str,
    pub(super) key: Option<&'a ObjectKey>,
    pub(super) content: Content<'a>,
}

/// Labels and fields of a written object.
pub(super) enum Content<'a> {
    /// Without an answer, they may be any.
    Unknown,
    /// The write changed none.
    Unchanged,
    /// Labels, and a function that returns the whole object.
    Known(Option<&'a BTreeMap<String, String>>, &'a dyn Fn() -> Value),
}

/// Returns the plural name of a resource with its group.
pub(super) fn name_of(resource: &ResourceInfo) -> Arc<str> {
    let api = &resource.api_resource;
    qualified(&api.plural, &api.group)
}

// === impl Cache ===

impl Cache {
    pub(super) fn new(number: u64, informer: GenericInformer) -> Self {
        let (selectors, names) = selection_of(&informer);
        Self {
            number,
            resource: name_of(informer.resource()),
            store: store_of(&informer),
            informer,
            selectors,
            names,
        }
    }

    /// Returns `false` if the informer's scope or selectors leave the object out.
    pub(super) fn selects(&self, written: &Written<'_>) -> bool {
        let Written { namespace, key, .. } = written;
        let namespaces = self.informer.namespaces();
        let in_scope = namespaces.is_empty()
            || namespace.is_empty()
            || namespaces.iter().any(|cached| **cached == **namespace);
        let Some(key) = key.filter(|_| in_scope) else {
            return in_scope;
        };
        if self
            .names
            .as_ref()
            .is_some_and(|names| !names.contains(key.name()))
        {
            return false;
        }
        let Selectors { label, field, .. } = &self.selectors;
        if label.is_none() && field.is_none() {
            return true;
        }
        let (labels, object) = match &written.content {
            Content::Unknown => return true,
            Content::Unchanged => return self.store.snapshot().entry(key).is_some(),
            Content::Known(labels, object) => (*labels, object),
        };
        let labels_match = label.as_ref().is_none_or(|label| label.matches(labels));
        labels_match
            && field.as_ref().is_none_or(|field| {
                let object = object();
                field.matches_by(|path| text_at(&object, path))
            })
    }

    /// Compares the cache with a write.
    pub(super) fn sight(&self, note: &Note) -> Sight {
        self.sight_in(&self.store.snapshot(), note)
    }

    pub(super) fn sight_in(&self, snapshot: &Snapshot<Entry>, note: &Note) -> Sight {
        let entry = note.write.key();
        let entry = entry.and_then(|key| snapshot.entry(&key));
        note.sight(Shown {
            cache: self.number,
            version: version_of(snapshot, &note.write.namespace),
            stored: entry.map_or(Stored::Nothing, |entry| Stored::Object(entry.uid.as_ref())),
        })
    }

    /// Returns the version of a namespace.
    pub(super) fn version(&self, namespace: &str) -> ResourceVersion {
        version_of(&self.store.snapshot(), namespace).clone()
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
