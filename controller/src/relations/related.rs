//! [`RelatedObjects`]: a relation between the objects of two informers.

use std::fmt;

use informer_runtime::lister::{ReadsCaches, VisitCache};
use informer_runtime::processor::AddHandlerError;
use informer_runtime::storage::HasController;
use informer_runtime::{
    HandlerRegistration, InformerOptions, MakeInformers, Object, SharedInformer, Storage,
};

use super::relation::Relation;
use crate::workqueue::{Changed, EnqueueMapped, RelationName, or_deletion};

/// Relation between the objects of two informers: the `T`s that `K`s name by values `V`, and the
/// `K`s that name a `T`. Cheap to clone.
pub struct RelatedObjects<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> {
    pub(super) relation: Relation<K, T, V>,
    /// Informer of the `K`s.
    pub(super) sources: SharedInformer<K, S>,
    pub(super) informer: SharedInformer<T, R>,
    /// `None`: all updates of `T`s count.
    pub(super) changed: Option<Changed<R::Object>>,
}

// === impl RelatedObjects ===

impl<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> RelatedObjects<K, T, V, S, R> {
    /// Creates the relation between the objects of `sources` and those of the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn new<M: MakeInformers<Storage = R>>(
        sources: &SharedInformer<K, S>,
        relation: Relation<K, T, V>,
        maker: &M,
    ) -> Self
    where
        T: Object<DynamicType = ()>,
    {
        Self::over(sources, relation, maker.make(InformerOptions::new()))
    }

    /// Creates the relation over two informers.
    #[must_use]
    pub fn over(
        sources: &SharedInformer<K, S>,
        relation: Relation<K, T, V>,
        informer: SharedInformer<T, R>,
    ) -> Self {
        Self {
            relation,
            sources: sources.clone(),
            informer,
            changed: None,
        }
    }

    /// Returns the relation without the updates for which `changed` returns `false`: a closure, or a
    /// ready-made [predicate](crate::workqueue::predicate). Its arguments are the related object
    /// before and after the update. Adds, deletions and resyncs are not ignored, nor updates that
    /// begin a deletion or for which `changed` panics, nor a change of labels by which an object is
    /// selected.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_controller::{WorkQueue, relations::ReferencedObjects};
    /// # use informer_runtime::ObjectKey;
    /// # use k8s_openapi::api::core::v1::{Pod, Secret};
    /// # fn doc(secrets: ReferencedObjects<Pod, Secret>, queue: WorkQueue<ObjectKey>) -> Result<(), Box<dyn std::error::Error>> {
    /// let secrets = secrets.changed(|old, new| old.data != new.data);
    /// secrets.enqueue_into(&queue)?; // or `Controller::relations(&secrets)`
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn changed(
        &self,
        changed: impl Fn(&R::Object, &R::Object) -> bool + Send + Sync + 'static,
    ) -> Self
    where
        R::Object: HasController,
    {
        Self {
            changed: Some(or_deletion(changed)),
            ..self.clone()
        }
    }

    /// Returns the informer of the `T`s.
    #[must_use]
    pub fn informer(&self) -> &SharedInformer<T, R> {
        &self.informer
    }
}

/// Adds a handler of the objects of `informer`, which are `relation` to others: `owned`.
pub(super) fn enqueue<T: Object, R: Storage<T>>(
    informer: &SharedInformer<T, R>,
    relation: &str,
    handler: EnqueueMapped<R::Object>,
) -> Result<HandlerRegistration, AddHandlerError> {
    let related = RelationName::new(relation, &informer.resource().api_resource.kind);
    let (handler, options) = handler.because(related);
    informer.add_event_handler_with(handler, options)
}

impl<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> ReadsCaches
    for RelatedObjects<K, T, V, S, R>
{
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        self.sources.visit_caches(visit);
        self.informer.visit_caches(visit);
    }
}

impl<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> Clone
    for RelatedObjects<K, T, V, S, R>
{
    fn clone(&self) -> Self {
        Self {
            relation: self.relation,
            sources: self.sources.clone(),
            informer: self.informer.clone(),
            changed: self.changed.clone(),
        }
    }
}

impl<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> fmt::Debug
    for RelatedObjects<K, T, V, S, R>
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelatedObjects")
            .field("relation", &self.relation)
            .field("informer", &self.informer)
            .finish_non_exhaustive()
    }
}
