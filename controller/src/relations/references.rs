//! [`ReferencedObjects`]: the objects that an object refers to, and its referrers.

use std::sync::Arc;

use informer_runtime::engine::{defined, over_objects};
use informer_runtime::indexer::{IndexName, Indexer};
use informer_runtime::processor::AddHandlerError;
use informer_runtime::{HandlerRegistration, Index, Object, ObjectKey, Storage, Typed};

use super::error::RelatedError;
use super::related::{RelatedObjects, enqueue};
use super::relation::Reference;
use crate::workqueue::{KeyQueue, enqueue_mapped};

/// Look-ups of objects that refer to `T`s. Implemented by generated code: `references(T = path)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no `references({T} = ..)`",
    label = "the relation is not declared",
    note = "add `references({T} = \"spec.path\")` to the type's `#[informer(..)]`, or to the configuration of informer-gen"
)]
pub trait References<T> {
    /// Type of the objects that refer to `T`s.
    type Referrer;

    /// All places in which an object refers to `T`s.
    const REFERENCE: Reference<Self::Referrer, T>;
}

/// The `T`s that `K`s refer to by name, and the `K`s that refer to a `T`.
pub type ReferencedObjects<K, T, S = Typed, R = Typed> = RelatedObjects<K, T, ObjectKey, S, R>;

/// Object that another object refers to.
#[derive(Debug)]
#[non_exhaustive]
pub struct RelatedObject<T> {
    /// Key that the reference names.
    pub key: ObjectKey,
    /// The object, or the reason for which it is not available.
    pub object: Result<Arc<T>, RelatedError>,
}

/// Returns the cached objects of `indexer` that refer to the object with this key, ordered by key.
/// O(log n + found).
///
/// The first call for a reference adds its index, which reads all stored objects.
#[must_use]
pub fn referrers<K: Object, T: 'static, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    reference: &Reference<K, T>,
    key: &ObjectKey,
) -> Vec<Arc<S::Object>> {
    by_target::<K, T, S>(indexer, reference).get(key)
}

/// Returns the index of the objects by the keys that they mention.
fn by_target<K: Object, T: 'static, S: Storage<K>>(
    indexer: &Indexer<S::Object>,
    reference: &Reference<K, T>,
) -> Index<S::Object, ObjectKey> {
    let relation = *reference;
    let definition = relation.definition();
    defined(indexer, relation.name(), &definition, |name: IndexName| {
        let keys = move |object: &K| Ok(relation.keys(object));
        over_objects::<K, ObjectKey, S>(indexer, name, Some(definition.as_str().into()), keys)
    })
}

// === impl ReferencedObjects ===

impl<K: Object, T: Object, S: Storage<K>, R: Storage<T>> ReferencedObjects<K, T, S, R> {
    /// Returns the objects that `referrer` refers to, ordered by key, each once. Takes a get for
    /// each of them.
    #[must_use]
    pub fn of(&self, referrer: &K) -> Vec<RelatedObject<R::Object>> {
        let mut keys = self.relation.keys(referrer);
        keys.sort_unstable();
        keys.dedup();
        let lister = self.informer.lister();
        let mut related = Vec::with_capacity(keys.len());
        for key in keys {
            let object = lister
                .try_get_by_key(&key)
                .map_err(|error| RelatedError::of(error, &self.informer));
            related.push(RelatedObject { key, object });
        }
        related
    }

    /// Returns the cached objects that refer to the object with this key, ordered by key. O(log n +
    /// found).
    #[must_use]
    pub fn referrers(&self, key: &ObjectKey) -> Vec<Arc<S::Object>> {
        referrers::<K, T, S>(self.sources.indexer(), &self.relation, key)
    }

    /// Enqueues the referrers of each object that is added, updated, deleted or resynced.
    ///
    /// The object need not exist when a referrer mentions it: the referrer is enqueued when the
    /// object appears. A referrer that changes its references is not enqueued here, but by its own
    /// informer.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn enqueue_into(
        &self,
        queue: impl Into<KeyQueue>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let index = by_target::<K, T, S>(self.sources.indexer(), &self.relation);
        let referrers = move |key: &ObjectKey, _: &R::Object| index.keys(key);
        let handler = enqueue_mapped(queue, referrers).changed_by(self.changed.clone());
        enqueue(&self.informer, "referenced", handler)
    }
}

impl<T> Clone for RelatedObject<T> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            object: self.object.clone(),
        }
    }
}
