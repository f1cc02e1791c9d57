//! Waits for the cache to reflect a write.

use std::time::Duration;

use tokio::time::timeout;

use crate::indexer::{FreshnessError, Snapshot};
use crate::object::{Object, ObjectKey, ResourceVersion, Uid};
use crate::shared_informer::SharedInformer;
use crate::storage::Storage;

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Waits until reads reflect `resource_version` or a later version, and returns a snapshot that
    /// does. Returns at once if the cache is already there.
    ///
    /// With the version that a create, update or patch returned, this gives read-your-writes: the
    /// snapshot, the listers and all later reads contain that write or a later state. Objects that
    /// cannot be decoded, or that the informer's selectors exclude, stay invisible.
    ///
    /// The versions of different resources cannot be compared: wait on the informer of the resource
    /// that was written. If the informer's selectors exclude the written object, only a bookmark
    /// advances its version, about once a minute.
    ///
    /// If the informer caches several [namespaces](crate::InformerOptions::namespaces), the version
    /// has to be reached in each of them that the client may list, and those in which nothing changes
    /// have only their bookmarks. Wait for the namespace of the write with
    /// [`wait_for_resource_version_in`](Self::wait_for_resource_version_in).
    ///
    /// # Errors
    ///
    /// Fails if the time limit expires, the informer was stopped, or the versions cannot be
    /// compared. The latter holds for `""`, `"0"` and versions that are not numbers.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    ///
    /// # Examples
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use informer_runtime::{ResourceVersion, SharedInformer};
    /// # use k8s_openapi::api::core::v1::ConfigMap;
    /// # async fn doc(configs: SharedInformer<ConfigMap>, written: ConfigMap)
    /// # -> Result<(), Box<dyn std::error::Error>> {
    /// // `written` is the API server's response to the write.
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
    ) -> impl Future<Output = Result<Snapshot<S::Object>, FreshnessError>> + Send + 'static + use<K, S>
    {
        self.wait_for_resource_version_in("", resource_version, within)
    }

    /// Waits until reads of one namespace reflect `resource_version` or a later version, as
    /// [`wait_for_resource_version`](Self::wait_for_resource_version) does for all: the empty namespace.
    /// The same unless the informer caches several [namespaces](crate::InformerOptions::namespaces).
    ///
    /// # Errors
    ///
    /// Fails as `wait_for_resource_version` does.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub fn wait_for_resource_version_in(
        &self,
        namespace: &str,
        resource_version: &ResourceVersion,
        within: Duration,
    ) -> impl Future<Output = Result<Snapshot<S::Object>, FreshnessError>> + Send + 'static + use<K, S>
    {
        let reached = self.indexer().wait_for_in(namespace, resource_version);
        let informer = self.clone();
        let namespace = namespace.to_owned();
        async move { informer.unless_over(&namespace, reached, within).await? }
    }

    /// Waits until the cache no longer holds the object with this key and uid, and returns the
    /// first snapshot without it. Returns at once if the cache does not hold the object. Another
    /// object with the same key is ignored.
    ///
    /// The cache must have held the object: an object that was just created may still be missing.
    /// Wait for the version of its creation first. An object with finalizers or a grace period is
    /// not deleted at once.
    ///
    /// # Errors
    ///
    /// Fails if the time limit expires, or if the informer was stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub fn wait_for_deletion(
        &self,
        key: &ObjectKey,
        uid: &Uid,
        within: Duration,
    ) -> impl Future<Output = Result<Snapshot<S::Object>, FreshnessError>> + Send + 'static + use<K, S>
    {
        let key = key.clone();
        let uid = uid.clone();
        let gone = self.indexer().wait_until(move |snapshot| {
            // An entry without a uid may be the object, so it counts as a match.
            let holds = |uid: &Uid, stored: Option<&Uid>| stored.is_none_or(|stored| stored == uid);
            let entry = snapshot.entry(&key);
            snapshot.is_synced() && !entry.is_some_and(|entry| holds(&uid, entry.uid.as_ref()))
        });
        let informer = self.clone();
        async move { informer.unless_over("", gone, within).await }
    }

    async fn unless_over<R>(
        &self,
        namespace: &str,
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
                stored: self.state().version_of(namespace).clone(),
            })
        })
    }
}
