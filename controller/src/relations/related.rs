//! [`RelatedObjects`]: a relation between the objects of two informers.

use std::fmt;

use super::relation::Relation;
use crate::factory::MakeInformers;
use crate::lister::{ReadsCaches, VisitCache};
use crate::object::Object;
use crate::processor::{AddHandlerError, HandlerRegistration};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::Storage;
use crate::workqueue::{EnqueueMapped, Related};

/// Relation between the objects of two informers: the `T`s that `K`s name by values `V`, and the
/// `K`s that name a `T`. Cheap to clone.
pub struct RelatedObjects<K: Object, T: Object, V, S: Storage<K>, R: Storage<T>> {
    pub(super) relation: Relation<K, T, V>,
    /// Informer of the `K`s.
    pub(super) sources: SharedInformer<K, S>,
    pub(super) informer: SharedInformer<T, R>,
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
    let related = Related::new(relation, &informer.resource().api_resource.kind);
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
        Self::over(&self.sources, self.relation, self.informer.clone())
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
