//! Waiting for the cache to have what one wrote.

use std::time::Duration;

use tokio::time::timeout;

use crate::indexer::{Snapshot, WaitError};
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
use crate::shared_informer::SharedInformer;
use crate::storage::Storage;

/// Why a cache does not have what was waited for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FreshnessError {
    /// There is no telling whether the cache has it.
    #[error(transparent)]
    Incomparable(#[from] WaitError),
    /// It did not get there in time.
    #[error("the cache did not get there within {} s, it is at resourceVersion `{stored}`", after.as_secs_f64())]
    Timeout {
        /// How long was waited.
        after: Duration,
        /// Where the cache is.
        stored: ResourceVersion,
    },
    /// The informer was stopped, and will not get there.
    #[error("the informer was stopped")]
    Stopped,
}

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Waits until reads reflect `resource_version` or a later one, and gives the snapshot that
    /// does: at once if the cache has it.
    ///
    /// With the version that a create, update or patch returned this is read-your-writes: the
    /// snapshot, the listers and all later reads have that write, or what came after it. An object
    /// that does not decode, or that the informer's selectors leave out, is not seen then either.
    ///
    /// The versions of different resources cannot be compared: wait on the informer of the resource
    /// that was written. An informer whose selectors leave the write out hears of its version by a
    /// bookmark, about once a minute.
    ///
    /// # Errors
    ///
    /// Time is up, the informer was stopped, or the versions cannot be compared, which is so for
    /// `""` and `"0"` and for servers whose versions are not numbers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use informer_runtime::{ResourceVersion, SharedInformer};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # async fn doc(configs: SharedInformer<ConfigMap>, written: ConfigMap)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// // `written` is what the API server answered to the write.
    /// let version = written.metadata.resource_version.unwrap_or_default();
    /// let seen = configs
    ///     .wait_for_resource_version(&ResourceVersion::new(&version), Duration::from_secs(5))
    ///     .await?;
    /// # drop(seen);
    /// # Ok(())
    /// # }
    /// ```
    pub fn wait_for_resource_version(
        &self,
        resource_version: &ResourceVersion,
        within: Duration,
    ) -> impl Future<Output = Result<Snapshot<S::Handle>, FreshnessError>> + Send + 'static + use<K, S>
    {
        let reached = self.indexer().wait_for(resource_version);
        let informer = self.clone();
        async move { Ok(informer.unless_over(reached, within).await??) }
    }

    /// Waits until the cache no longer holds the object that had this key and uid, and gives the
    /// snapshot that does not: at once if that is so. Another object of the same key does not count.
    ///
    /// The cache must have held the object: one that was created just now is missing there before
    /// it comes. Wait for the version of its creation first. Deleting an object with finalizers or
    /// a grace period does not make it go at once.
    ///
    /// # Errors
    ///
    /// Time is up, or the informer was stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub fn wait_for_deletion(
        &self,
        key: &ObjectKey,
        uid: &Uid,
        within: Duration,
    ) -> impl Future<Output = Result<Snapshot<S::Handle>, FreshnessError>> + Send + 'static + use<K, S>
    {
        let (key, uid) = (key.clone(), uid.clone());
        let gone = self.indexer().wait_until(move |snapshot| {
            // Without a uid there is no telling that it is another one.
            let holds = |uid: &Uid, stored: Option<&Uid>| stored.is_none_or(|stored| stored == uid);
            let entry = snapshot.get(&key);
            snapshot.is_synced() && !entry.is_some_and(|entry| holds(&uid, entry.uid.as_ref()))
        });
        let informer = self.clone();
        async move { informer.unless_over(gone, within).await }
    }

    async fn unless_over<R>(
        &self,
        reached: impl Future<Output = R>,
        within: Duration,
    ) -> Result<R, FreshnessError> {
        let waited = timeout(within, async {
            tokio::select! {
                biased;
                reached = reached => Ok(reached),
                () = self.wait_until_stopped() => Err(FreshnessError::Stopped),
            }
        });
        waited.await.unwrap_or_else(|_| {
            Err(FreshnessError::Timeout {
                after: within,
                stored: self.last_sync_resource_version(),
            })
        })
    }
}
