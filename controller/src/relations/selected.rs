//! [`SelectedObjects`]: the objects that a selector matches, and the objects that select them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::selection::{LabelSelection, SelectorIndex};
use crate::factory::MakeInformers;
use crate::lister::{ReadsCaches, VisitCache};
use crate::object::{Object, ObjectKey, Scope};
use crate::processor::{AddHandlerError, HandlerRegistration};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::{Storage, Typed};
use crate::workqueue::{KeyQueue, Related, enqueue_mapped};

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

    /// Returns all selectors by which an object selects `T`s.
    fn selection() -> LabelSelection<Self::Selecting, T>;
}

/// The `T`s that `K`s select by labels, and the `K`s that select a `T`.
///
/// An object in a namespace selects objects of that namespace only. Cheap to clone.
pub struct SelectedObjects<K: Object, T: Object, S: Storage<K> = Typed, R: Storage<T> = Typed> {
    selection: LabelSelection<K, T>,
    selecting: SharedInformer<K, S>,
    informer: SharedInformer<T, R>,
}

// === impl SelectedObjects ===

impl<K, T, S, R> SelectedObjects<K, T, S, R>
where
    K: Object,
    T: Object<DynamicType = ()>,
    S: Storage<K>,
    R: Storage<T>,
{
    /// Creates the relation between the objects of `selecting` and those of the informer of `T`
    /// that `maker` shares.
    #[must_use]
    pub fn new<M: MakeInformers<Storage = R>>(
        selecting: &SharedInformer<K, S>,
        selection: LabelSelection<K, T>,
        maker: &M,
    ) -> Self {
        Self {
            selection,
            selecting: selecting.clone(),
            informer: maker.make(InformerOptions::new()),
        }
    }

    /// Returns the cached objects that `object` selects, ordered by key.
    ///
    /// O(objects of the namespace), or of the cluster if one of the types is cluster-scoped. A
    /// label index of the informer makes it faster; see
    /// [`add_label_index`](SharedInformer::add_label_index).
    #[must_use]
    pub fn of(&self, object: &K) -> Vec<Arc<R::Object>> {
        let scopes = [
            self.selecting.resource().scope,
            self.informer.resource().scope,
        ];
        let namespace = object.meta().namespace.as_deref();
        let namespace = namespace.filter(|_| scopes == [Scope::Namespaced; 2]);
        let lister = self.informer.lister();
        let mut found = BTreeMap::new();
        for selector in self.selection.selectors(object) {
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
        let scope = self.selecting.resource().scope;
        super::selecting::<K, T, S>(self.selecting.indexer(), scope, &self.selection, object)
    }

    /// Returns the informer of the selected objects.
    #[must_use]
    pub fn informer(&self) -> &SharedInformer<T, R> {
        &self.informer
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
        let scope = self.selecting.resource().scope;
        let indexer = self.selecting.indexer();
        let index = SelectorIndex::<K, T, S>::new(indexer, scope, self.selection);
        let selecting = move |key: &ObjectKey, object: &R::Object| {
            let labels: Vec<(&str, &str)> = R::labels(object).collect();
            index.keys(key.namespace(), &labels)
        };
        let related = Related::new("selected", &self.informer.resource().api_resource.kind);
        let (handler, options) = enqueue_mapped(queue, selecting).because(related);
        self.informer.add_event_handler_with(handler, options)
    }
}

impl<K: Object, T: Object, S: Storage<K>, R: Storage<T>> ReadsCaches
    for SelectedObjects<K, T, S, R>
{
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        self.selecting.visit_caches(visit);
        self.informer.visit_caches(visit);
    }
}

impl<K: Object, T: Object, S: Storage<K>, R: Storage<T>> Clone for SelectedObjects<K, T, S, R> {
    fn clone(&self) -> Self {
        Self {
            selection: self.selection,
            selecting: self.selecting.clone(),
            informer: self.informer.clone(),
        }
    }
}

impl<K: Object, T: Object, S: Storage<K>, R: Storage<T>> fmt::Debug
    for SelectedObjects<K, T, S, R>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectedObjects")
            .field("selection", &self.selection)
            .field("informer", &self.informer)
            .finish_non_exhaustive()
    }
}
