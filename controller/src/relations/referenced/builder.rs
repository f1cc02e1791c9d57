//! [`ReferencedCacheBuilder`]: builds a cache of referenced objects.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::processor::AddHandlerError;
use informer_runtime::{
    Event, HandlerOptions, Object, ObjectKey, ResourceInfo, SharedInformer, SharedInformerFactory,
    Storage,
};
use tracing::warn;

use super::cache::ReferencedCache;
use super::plan::Limits;
use super::shared::SharedCache;
use super::task::Task;
use crate::relations::Reference;

/// Default maximum number of watches of one object.
const MAX_SINGLE_WATCHES: usize = 64;
/// Default number of names from which on a namespace is watched as a whole.
const PROMOTE_AT: usize = 16;
/// Default time between the last mention of a name and its release.
const GRACE_PERIOD: Duration = Duration::from_secs(30);

/// Builder of a [`ReferencedCache`].
#[must_use]
pub struct ReferencedCacheBuilder<'a, K: Object, S: Storage<K>, T> {
    factory: &'a SharedInformerFactory,
    referrers: &'a SharedInformer<K, S>,
    reference: Reference<K, T>,
    limits: Limits,
}

// === impl ReferencedCache ===

impl<T: Object<DynamicType = ()>> ReferencedCache<T> {
    /// Starts building a cache of the objects that `referrers` mention. `factory` runs its
    /// informers.
    pub fn builder<'a, K: Object, S: Storage<K>>(
        factory: &'a SharedInformerFactory,
        referrers: &'a SharedInformer<K, S>,
        reference: Reference<K, T>,
    ) -> ReferencedCacheBuilder<'a, K, S, T> {
        ReferencedCacheBuilder {
            factory,
            referrers,
            reference,
            limits: Limits {
                max_single_watches: MAX_SINGLE_WATCHES,
                promote_at: PROMOTE_AT,
                grace_period: GRACE_PERIOD,
            },
        }
    }
}

// === impl ReferencedCacheBuilder ===

impl<K, S, T> ReferencedCacheBuilder<'_, K, S, T>
where
    K: Object,
    S: Storage<K>,
    T: Object<DynamicType = ()>,
{
    /// Sets the maximum number of watches of one object. Default: 64.
    ///
    /// Each such watch is one request that stays open. Further names are not watched, and
    /// [`try_get`](ReferencedCache::try_get) returns
    /// [`TooMany`](super::ReferencedError::TooMany) for them, until another name is released.
    pub fn max_single_watches(mut self, watches: usize) -> Self {
        self.limits.max_single_watches = watches;
        self
    }

    /// Sets the number of names without a namespace watch from which on their namespace is watched
    /// as a whole. Default: 16. 0 has the effect of 1; `usize::MAX` disables namespace watches. A
    /// cluster-scoped type counts as one namespace.
    ///
    /// The watch of a namespace receives all objects of the type there, and drops those that are
    /// not referenced before they are decoded. It is given up when it serves less than half of this
    /// number.
    pub fn promote_at(mut self, names: usize) -> Self {
        self.limits.promote_at = names;
        self
    }

    /// Sets the time for which an object stays cached after its last mention. Default: 30 s. A new
    /// mention in this time costs no request.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.limits.grace_period = period;
        self
    }

    /// Builds the cache, and starts to follow the referrers. The informers of the referenced
    /// objects start with the factory.
    ///
    /// # Errors
    ///
    /// Fails if the informer of the referrers was stopped.
    pub fn build(self) -> Result<ReferencedCache<T>, AddHandlerError> {
        let resource = ResourceInfo::of_type::<T>();
        let name = format!("{resource} referenced by {}", self.referrers.name());
        let shared = Arc::new(SharedCache::new(
            name.as_str().into(),
            resource,
            self.limits,
        ));
        let reference = self.reference;
        let counted = Arc::downgrade(&shared);
        let handler = move |event: Event<S::Object>| {
            let Some(shared) = counted.upgrade() else {
                return;
            };
            // The key function is user code, so it runs before the lock is taken.
            if let Some(keys) = mentioned::<K, S, T>(reference, &event) {
                shared.mention(event.key(), &keys);
            }
        };
        let options = HandlerOptions::new()
            .name(name)
            .resync_period(Duration::ZERO);
        let registration = self.referrers.add_event_handler_with(handler, options)?;
        let task = Task::new(Arc::clone(&shared), self.factory, registration);
        let cancel = self.factory.spawn(|cancel| task.run(cancel));
        Ok(ReferencedCache::new(shared, cancel))
    }
}

/// Returns the keys that the object of an event mentions: none after its deletion. Returns `None`
/// if the object does not decode; its last known mentions then stay.
fn mentioned<K: Object, S: Storage<K>, T>(
    reference: Reference<K, T>,
    event: &Event<S::Object>,
) -> Option<Vec<ObjectKey>> {
    let object = match event {
        Event::Added(added) => &added.object,
        Event::Updated(updated) => &updated.new,
        Event::Deleted(_) => return Some(Vec::new()),
    };
    match S::decode(object) {
        Ok(referrer) => Some(reference.keys(&referrer)),
        Err(error) => {
            warn!(%error, reference = reference.name(), "the references of an object are unknown");
            None
        }
    }
}

impl<K, S, T> fmt::Debug for ReferencedCacheBuilder<'_, K, S, T>
where
    K: Object,
    S: Storage<K>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReferencedCacheBuilder")
            .field("reference", &self.reference)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
