//! [`Shards`]: handle to the part of the work that this replica does.

use std::fmt;
use std::sync::Arc;

use informer_runtime::engine::{Coverage, Partition};
use informer_runtime::source::ListerWatcher;
use informer_runtime::{ObjectKey, ResourceInfo, Uid};
use kube::{Resource, ResourceExt as _};
use tokio_util::sync::CancellationToken;

use super::board::Board;
use super::cached_slices::CachedSlices;
use super::shared::ShardsShared;
use super::source::ShardedSource;
use super::status::ShardsStatus;
use crate::base::sync::JoinSet;

/// Membership of this process in a group of replicas that share the work of a controller. See the
/// [module](super).
///
/// Clones are the same membership. When the last clone is dropped without [`leave`](Self::leave), as
/// in a crash, running calls are dropped at their next `.await`, and other replicas take the slices
/// after the lease duration.
#[derive(Clone)]
pub struct Shards {
    pub(super) inner: Arc<Membership>,
}

pub(super) struct Membership {
    pub(super) shared: Arc<ShardsShared>,
    pub(super) leaving: CancellationToken,
    pub(super) ended: CancellationToken,
    /// Task that takes part in the protocol; ends with this value.
    pub(super) _task: JoinSet<()>,
}

// === impl Shards ===

impl Shards {
    /// Gives all slices away and leaves the group. Other replicas take the slices at once.
    ///
    /// Calls that run can finish within the [grace period](super::ShardsBuilder::grace_period); no other
    /// begins. Call this after the controllers have ended. If the API server does not answer, the
    /// slices are taken after the lease duration.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the replica leaves nevertheless, unless the last handle is dropped.
    pub async fn leave(&self) {
        self.inner.leaving.cancel();
        self.inner.ended.cancelled().await;
    }

    /// Returns the slices and the replicas, as this replica last saw them.
    #[must_use]
    pub fn status(&self) -> ShardsStatus {
        let mut status = self.inner.shared.status.lock().clone();
        status.is_ignored = self.cached().is_ignored();
        status
    }

    /// Returns the fence of an object: a number that is greater for each later owner of its slice.
    /// `None` if this replica does not own the slice now.
    ///
    /// A call that writes to a system outside of the cluster passes the fence along, and that system
    /// refuses a smaller one than it has seen for the object. The number is the `leaseTransitions` of
    /// the slice's lease.
    #[must_use]
    pub fn fence<K: Resource>(&self, object: &K) -> Option<i32> {
        let key = ObjectKey::new(object.namespace().as_deref(), &object.name_any());
        let uid = object.uid().map(|uid| Uid::from(uid.as_str()));
        let slice = self.cached().slice_of(&key, uid.as_ref())?;
        self.board().fence(slice)
    }

    /// Returns a function that gives a handle while another one exists.
    #[doc(hidden)]
    #[cfg(feature = "prometheus")]
    pub fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<> {
        let inner = Arc::downgrade(&self.inner);
        move || inner.upgrade().map(|inner| Self { inner })
    }

    pub(super) fn board(&self) -> &Board {
        &self.inner.shared.board
    }

    pub(super) fn cached(&self) -> &Arc<CachedSlices> {
        &self.inner.shared.cached
    }
}

impl Partition for Shards {
    fn coverage(&self) -> Coverage {
        let owned = self.cached().tenures();
        self.cached()
            .coverage(move |slice| owned.borrow().contains_key(&slice))
    }

    fn source(
        &self,
        resource: &ResourceInfo,
        inner: Arc<dyn ListerWatcher>,
    ) -> Arc<dyn ListerWatcher> {
        Arc::new(ShardedSource(self.cached().add(resource, inner)))
    }
}

impl fmt::Debug for Shards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shards").field(&self.status()).finish()
    }
}
