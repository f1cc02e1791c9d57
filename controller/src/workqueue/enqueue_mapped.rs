//! [`EnqueueMapped`]: enqueues keys that a function computes from each object.

use std::fmt;
use std::future::{self, Future};

use informer_runtime::engine::resume;
use informer_runtime::storage::HasController;
use informer_runtime::{Event, EventHandler, HandlerOptions, ObjectKey};

use super::enqueue::{enqueue_related, is_ignored};
use super::key_queue::KeyQueue;
use super::predicate::{Changed, or_deletion};
use super::reason::RelationName;

type Keys<T> = dyn FnMut(&ObjectKey, &T) -> Vec<ObjectKey> + Send;

/// Handler that enqueues keys that a function computes from each object; created by
/// [`enqueue_mapped`].
#[must_use]
pub struct EnqueueMapped<T> {
    queue: KeyQueue,
    keys: Box<Keys<T>>,
    changed: Option<Changed<T>>,
    related: RelationName,
}

/// Enqueues the keys that `keys` returns for each object that is added, updated, deleted or
/// resynced. For an update, it is called with the old and with the new object. Its arguments are
/// the key and the object. Priorities are the same as in
/// [`enqueue_into`](super::enqueue_into).
///
/// If `keys` panics, the keys that an object concerns are unknown: the
/// [`Controller`](crate::Controller) of the queue reconciles all of its objects. A queue without a
/// running controller gets the keys of the other object of an update only. The panic is counted and
/// logged as one of the handler.
///
/// controller-runtime's counterpart is `handler.EnqueueRequestsFromMapFunc`.
///
/// # Examples
///
/// ```
/// # use informer_controller::workqueue::{WorkQueue, enqueue_mapped};
/// # use informer_runtime::{SharedInformer, ObjectKey};
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// // Enqueues the Node of each Pod.
/// let nodes: WorkQueue<ObjectKey> = WorkQueue::rate_limited("nodes");
/// pods.add_event_handler(enqueue_mapped(&nodes, |_, pod: &Pod| {
///     let node = pod.spec.as_ref().and_then(|spec| spec.node_name.as_deref());
///     node.map(ObjectKey::cluster)
/// }))?;
/// # Ok(())
/// # }
/// ```
pub fn enqueue_mapped<T, I>(
    queue: impl Into<KeyQueue>,
    mut keys: impl FnMut(&ObjectKey, &T) -> I + Send + 'static,
) -> EnqueueMapped<T>
where
    I: IntoIterator<Item = ObjectKey>,
{
    EnqueueMapped {
        queue: queue.into(),
        keys: Box::new(move |key, object| keys(key, object).into_iter().collect()),
        changed: None,
        related: RelationName::new("related", "object"),
    }
}

// === impl EnqueueMapped ===

impl<T: Send + Sync + 'static> EnqueueMapped<T> {
    /// Ignores updates for which the [predicate](super::predicate) `changed` returns `false`. Its
    /// arguments are the old and the new object. Adds, deletions and resyncs are not ignored, nor
    /// updates for which `changed` panics.
    pub fn changed(mut self, changed: impl Fn(&T, &T) -> bool + Send + Sync + 'static) -> Self
    where
        T: HasController,
    {
        self.changed = Some(or_deletion(changed));
        self
    }

    /// Sets a predicate that was made before, if there is one.
    pub(crate) fn changed_by(mut self, changed: Option<Changed<T>>) -> Self {
        self.changed = changed;
        self
    }

    /// Names the relation and the kind of the objects in the reasons of the keys. Returns the
    /// options of the handler too, which name it after the queue and the relation.
    pub(crate) fn because(mut self, related: RelationName) -> (Self, HandlerOptions) {
        let name = format!("{}: {}", self.queue.name, related.0);
        self.related = related;
        (self, HandlerOptions::new().name(name))
    }
}

impl<T: Send + Sync + 'static> EventHandler<T> for EnqueueMapped<T> {
    fn on_event(&mut self, event: Event<T>) -> impl Future<Output = ()> + Send {
        let ignored = is_ignored(&event, self.changed.as_ref());
        if ignored != Ok(true) {
            let mapped = enqueue_related(&self.queue, &self.related, &event, &mut self.keys);
            resume(mapped);
        }
        resume(ignored.map(drop));
        future::ready(())
    }
}

impl<T> fmt::Debug for EnqueueMapped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueueMapped")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}
