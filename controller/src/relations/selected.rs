//! [`SelectedObjects`]: the objects that a selector matches, and the objects that select them.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_runtime::processor::AddHandlerError;
use informer_runtime::{HandlerRegistration, Object, ObjectKey, Scope, Selector, Storage, Typed};

use super::related::{RelatedObjects, enqueue};
use super::selection::{LabelSelection, SelectorIndex};
use crate::workqueue::predicate::or;
use crate::workqueue::{Changed, KeyQueue, enqueue_mapped};

/// Informer of objects that select `T`s by labels. Implemented by generated code: `selects(T =
/// path)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no `selects({T} = ..)`",
    label = "the relation is not declared",
    note = "add `selects({T} = \"spec.selector\")` to the type's `#[informer(..)]`, or to the configuration of informer-gen"
)]
pub trait Selects<T> {
    /// Type of the objects that select `T`s.
    type Selecting;

    /// All selectors by which an object selects `T`s.
    const SELECTION: LabelSelection<Self::Selecting, T>;
}

/// The `T`s that `K`s select by labels, and the `K`s that select a `T`.
///
/// An object in a namespace selects objects of that namespace only.
pub type SelectedObjects<K, T, S = Typed, R = Typed> = RelatedObjects<K, T, Selector, S, R>;

// === impl SelectedObjects ===

impl<K, T, S, R> SelectedObjects<K, T, S, R>
where
    K: Object,
    T: Object<DynamicType = ()>,
    S: Storage<K>,
    R: Storage<T>,
{
    /// Returns the cached objects that `object` selects, ordered by key.
    ///
    /// O(objects of the namespace), or of the cluster if one of the types is cluster-scoped. A
    /// label index of the informer makes it faster; see
    /// [`add_label_index`](informer_runtime::SharedInformer::add_label_index).
    #[must_use]
    pub fn of(&self, object: &K) -> Vec<Arc<R::Object>> {
        let selecting = self.sources.resource().scope;
        let selected = self.informer.resource().scope;
        let namespace = match (selecting, selected) {
            (Scope::Namespaced, Scope::Namespaced) => object.meta().namespace.as_deref(),
            (_, _) => None,
        };
        let lister = self.informer.lister();
        let mut found = BTreeMap::new();
        for selector in self.relation.selectors(object) {
            lister.visit(namespace, &selector, |entry| {
                found.insert(entry.key.clone(), entry.shared());
            });
        }
        found.into_values().collect()
    }

    /// Returns the cached objects that select `object`, ordered by key; see
    /// [`selecting`](super::selecting).
    #[must_use]
    pub fn selecting(&self, object: &T) -> Vec<Arc<S::Object>> {
        let scope = self.sources.resource().scope;
        super::selecting::<K, T, S>(self.sources.indexer(), scope, &self.relation, object)
    }

    /// Enqueues the objects that select an object before or after a change of it, for each object
    /// that is added, updated, deleted or resynced.
    ///
    /// An object that changes its selector is not enqueued here, but by its own informer.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn enqueue_into(
        &self,
        queue: impl Into<KeyQueue>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let scope = self.sources.resource().scope;
        let indexer = self.sources.indexer();
        let index = SelectorIndex::<K, T, S>::new(indexer, scope, self.relation);
        let selecting = move |key: &ObjectKey, object: &R::Object| {
            let labels: Vec<(&str, &str)> = R::labels(object).collect();
            index.keys(key.namespace(), &labels)
        };
        let changed = self.changed.clone().map(or_labels::<T, R>);
        let handler = enqueue_mapped(queue, selecting).changed_by(changed);
        enqueue(&self.informer, "selected", handler)
    }
}

/// Returns the predicate that also counts a change of the labels.
fn or_labels<T: Object, R: Storage<T>>(changed: Changed<R::Object>) -> Changed<R::Object> {
    Arc::new(or(
        move |old, new| changed(old, new),
        labels_changed::<T, R>,
    ))
}

fn labels_changed<T: Object, R: Storage<T>>(old: &R::Object, new: &R::Object) -> bool {
    !R::labels(old).eq(R::labels(new))
}
