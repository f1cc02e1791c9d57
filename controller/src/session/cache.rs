//! [`Cache`]: an informer's store, as a session sees it.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use informer_runtime::engine::{is_in_part, selection_of, store_of};
use informer_runtime::indexer::Indexer;
use informer_runtime::{
    Entry, GenericInformer, ObjectKey, ResourceInfo, ResourceVersion, Selectors, Snapshot,
    SyncError,
};
use serde::Deserialize as _;
use serde_json::Value;
use tokio::time::Instant;
use tracing::warn;

use super::error::SessionError;
use super::notes::{Note, NoteTarget, Selected, Sight};
use super::write::OwnWrite;
use crate::base::names::{non_empty, qualified};
use crate::base::sync::Mutex;

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
    pub(super) selectors: Selectors,
    /// Only names that the informer follows, if it is of a `ReferencedCache`.
    pub(super) names: Option<Arc<BTreeSet<String>>>,
    /// Namespaces that the informer could not list for as long as a read waits, each with the version
    /// that it had.
    given_up: Mutex<BTreeMap<Arc<str>, ResourceVersion>>,
}

/// Content of a written object, as far as the answer tells.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    Object(&'a Value),
    /// The write has not changed what selectors look at.
    Unchanged,
    Unknown,
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
            given_up: Mutex::default(),
        }
    }

    /// Reports whether a write may concern the cache. A name that is not known is none of a few.
    pub(super) fn follows(&self, write: &OwnWrite) -> bool {
        if *self.resource != *write.resource {
            return false;
        }
        let Some(names) = &self.names else {
            return true;
        };
        match &write.name {
            Some(name) => names.contains(&**name),
            None => write.verb != "create",
        }
    }

    /// Reports whether a read shows what exists: all of the cache was listed, or a part, if the
    /// client may not list all. A [`ReferencedCache`](crate::relations::ReferencedCache) tells
    /// itself what it does not know.
    pub(super) fn is_listed(&self) -> bool {
        self.names.is_some() || self.is_listed_in(&self.store.snapshot())
    }

    fn is_listed_in(&self, snapshot: &Snapshot<Entry>) -> bool {
        if snapshot.is_synced() {
            return true;
        }
        self.informer
            .namespaces()
            .iter()
            .any(|namespace| !snapshot.version_of(namespace).is_unset())
    }

    /// Waits for the first list.
    pub(super) async fn wait_for_list(self: &Arc<Self>) -> Result<(), SessionError> {
        let cache = Arc::clone(self);
        let is_listed = move |snapshot: &_| cache.is_listed_in(snapshot);
        tokio::select! {
            biased;
            _ = self.store.wait_until(is_listed) => Ok(()),
            () = self.informer.wait_until_stopped() => Err(SessionError::Stopped {
                informer: self.informer.name().into(),
            }),
        }
    }

    /// Returns the error of a read before the first list.
    pub(super) fn not_listed(&self, after: Duration) -> SessionError {
        SessionError::NotListed {
            informer: self.informer.name().into(),
            after,
            status: self.informer.status().to_string(),
        }
    }

    pub(super) fn has_selectors(&self) -> bool {
        self.selectors.label.is_some() || self.selectors.field.is_some()
    }

    /// Tells whether the informer's scope and selectors contain the written object.
    pub(super) fn selects(&self, note: &Note, content: Content<'_>) -> Selected {
        if !self.is_in_scope(&note.write.namespace) || !self.is_in_part(note) {
            return Selected::No;
        }
        if !self.has_selectors() {
            return Selected::Yes;
        }
        let Some(key) = note.write.key() else {
            return Selected::Yes;
        };
        match content {
            Content::Object(object) => self.selects_object(object),
            Content::Unchanged => {
                if self.store.snapshot().entry(&key).is_some() {
                    Selected::Yes
                } else {
                    Selected::No
                }
            }
            Content::Unknown => Selected::Yes,
        }
    }

    fn is_in_scope(&self, namespace: &str) -> bool {
        let namespaces = self.informer.namespaces();
        if namespaces.is_empty() || namespace.is_empty() {
            return true;
        }
        namespaces.iter().any(|cached| **cached == *namespace)
    }

    /// Evaluates the selectors. A field that an object lacks, or whose value is no text, may have another
    /// path in a selector than in JSON: `status.successful` of a `Job` is `status.succeeded`.
    fn selects_object(&self, object: &Value) -> Selected {
        let Selectors { label, field, .. } = &self.selectors;
        if let Some(label) = label {
            let labels = object
                .pointer("/metadata/labels")
                .and_then(|labels| BTreeMap::deserialize(labels).ok());
            if !label.matches(labels.as_ref()) {
                return Selected::No;
            }
        }
        let Some(field) = field else {
            return Selected::Yes;
        };
        let is_sure = Cell::new(true);
        let matches = field.matches_by(|path: &str| {
            let text = text_at(object, path);
            if text.is_none() {
                is_sure.set(false);
            }
            text
        });
        if !is_sure.get() {
            return Selected::Unsure;
        }
        if matches { Selected::Yes } else { Selected::No }
    }

    /// Compares the cache with a write.
    pub(super) fn sight(&self, note: &Note) -> Sight {
        self.sight_in(&self.store.snapshot(), note)
    }

    pub(super) fn sight_in(&self, snapshot: &Snapshot<Entry>, note: &Note) -> Sight {
        let namespace = &note.write.namespace;
        let version = snapshot.version_of(namespace);
        let held = || holds(snapshot, note);
        let sight = note.sight(self.number, version, Instant::now(), held);
        if !matches!(sight, Sight::Missing | Sight::Incomparable) {
            return sight;
        }
        // The slice of the object may have left.
        if !self.is_in_part(note) && !held() {
            return Sight::LeftOut;
        }
        if self.is_unable(namespace, version) {
            return Sight::Unable;
        }
        sight
    }

    /// Reports whether the cache has to show the write, and can.
    pub(super) fn awaits(&self, note: &Note) -> bool {
        matches!(self.sight(note), Sight::Missing | Sight::Incomparable)
    }

    /// Returns `false` if another replica caches the written object.
    fn is_in_part(&self, note: &Note) -> bool {
        let Some(key) = note.write.key() else {
            return true;
        };
        is_in_part(&self.informer, &key, note.write.uid.as_ref())
    }

    /// Reports whether the informer's last attempt for a namespace had an answer that retries are
    /// unlikely to change: it may not list, or the resource is not served.
    pub(super) fn is_refused(&self, namespace: &str) -> bool {
        let Some(failure) = self.informer.last_failure(non_empty(namespace)) else {
            return false;
        };
        SyncError::definite(&failure).is_some()
    }

    /// Reports whether no event of a namespace will come for now. A cache that has a version is
    /// waited for until it is [given up](Self::give_up): a server that has just been started refuses
    /// everything, and shows the rest later.
    fn is_unable(&self, namespace: &str, version: &ResourceVersion) -> bool {
        if !self.is_refused(namespace) {
            return false;
        }
        if version.is_unset() {
            return true;
        }
        self.given_up.lock().get(namespace) == Some(version)
    }

    /// Waits for no write in a namespace any more, as long as the informer may not list it.
    pub(super) fn give_up(&self, namespace: &Arc<str>) {
        let version = self.version(namespace);
        if !self.is_refused(namespace) || self.is_unable(namespace, &version) {
            return;
        }
        self.given_up.lock().insert(Arc::clone(namespace), version);
        warn!(
            informer = self.informer.name(),
            %namespace,
            "writes of a session are not waited for: the informer may not list their objects"
        );
    }

    /// Returns the version of a namespace.
    pub(super) fn version(&self, namespace: &str) -> ResourceVersion {
        self.store.snapshot().version_of(namespace).clone()
    }
}

/// Reports whether a snapshot has an object that the write has changed or removed.
fn holds(snapshot: &Snapshot<Entry>, note: &Note) -> bool {
    let means = |entry: &Entry| note.means(entry.uid.as_ref(), &entry.resource_version);
    if let Some(key) = note.write.key() {
        return snapshot.entry(&key).is_some_and(means);
    }
    if note.target != NoteTarget::Absent {
        return false;
    }
    let namespace = &*note.write.namespace;
    if namespace.is_empty() {
        return snapshot.entries().any(means);
    }
    // No object has an empty name: those of the namespace follow.
    let mut next = snapshot.next_after(Some(&ObjectKey::namespaced(namespace, "")));
    while let Some(entry) = next {
        if entry.key.namespace() != Some(namespace) {
            return false;
        }
        if means(entry) {
            return true;
        }
        next = snapshot.next_after(Some(&entry.key));
    }
    false
}

/// Returns the text of a scalar field.
fn text_at(object: &Value, path: &str) -> Option<String> {
    let pointer = format!("/{}", path.replace('.', "/"));
    let value = object.pointer(&pointer)?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
