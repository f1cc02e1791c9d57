//! [`EnqueueRelated`]: relations as sources of a controller's keys.

use std::ops::Deref;

use informer_runtime::processor::AddHandlerError;
use informer_runtime::{HandlerRegistration, Object, Storage};

use super::{OwnedObjects, ReferencedCache, ReferencedObjects, SelectedObjects};
use crate::workqueue::KeyQueue;

/// Result of adding a handler.
type Added = Result<HandlerRegistration, AddHandlerError>;

/// Relations through which the changes of other objects concern `K`s. Accepted by
/// [`Controller::relations`](crate::Controller::relations); implemented by each relation of a `K`,
/// and by the struct of all of its relations that generated code declares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation of `{K}`",
    note = "pass `informer.related(&factory)`, or one of its relations, of the informer of the controller"
)]
pub trait EnqueueRelated<K>: Send + Sync + 'static {
    /// Enqueues the key of each `K` that a change of a related object concerns. Returns the result
    /// of adding each handler.
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added>;
}

impl<K: Object, T: Object, R: Storage<T>> EnqueueRelated<K> for OwnedObjects<K, T, R> {
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added> {
        vec![self.enqueue_into(queue.clone())]
    }
}

impl<K, T, S, R> EnqueueRelated<K> for ReferencedObjects<K, T, S, R>
where
    K: Object,
    T: Object,
    S: Storage<K>,
    R: Storage<T>,
{
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added> {
        vec![self.enqueue_into(queue.clone())]
    }
}

impl<K, T, S, R> EnqueueRelated<K> for SelectedObjects<K, T, S, R>
where
    K: Object,
    T: Object<DynamicType = ()>,
    S: Storage<K>,
    R: Storage<T>,
{
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added> {
        vec![self.enqueue_into(queue.clone())]
    }
}

impl<K, T: Object> EnqueueRelated<K> for ReferencedCache<T> {
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added> {
        vec![self.enqueue_into(queue.clone())]
    }
}

impl<K, T> EnqueueRelated<K> for T
where
    T: Deref<Target: EnqueueRelated<K>> + Send + Sync + 'static,
{
    fn enqueue_related(&self, queue: &KeyQueue) -> Vec<Added> {
        (**self).enqueue_related(queue)
    }
}
