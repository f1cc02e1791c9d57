//! [`InformerOptions`]: all settings of an informer of one type.

use std::marker::PhantomData;

use derive_where::derive_where;

use super::config::{InformerConfig, informer_settings, request_settings};
use crate::object::Object;
use crate::storage::{Storage, Typed};

/// Settings of one informer, or of all informers of one type: an [`InformerConfig`], and the
/// settings that depend on the type of objects and on their storage.
///
/// Two requests share an informer only if these settings are equal: namespace, selectors,
/// filter, transform, `drop_fields`, `keep_managed_fields`, `retain_deleted`, and the storage with its
/// settings. All other settings come from the first request.
#[derive_where(Clone, Debug, Default)]
pub struct InformerOptions<K: Object, S: Storage<K> = Typed> {
    /// Its transform and its filter are of `K`, and its store is one of the objects of `S`.
    pub(crate) config: InformerConfig,
    #[derive_where(skip(Debug))]
    types: PhantomData<fn() -> (K, S)>,
}

/// Declares the setters of type-dependent settings, on a type with `fn options_mut(&mut self) ->
/// &mut InformerOptions<K, S>`.
macro_rules! typed_settings {
    () => {
        /// Sets a function that changes every object before it is stored, indexed or passed to
        /// handlers.
        #[must_use]
        pub fn transform(mut self, transform: $crate::storage::Transform<K>) -> Self {
            self.config_mut().transform = Some(::std::sync::Arc::new(transform));
            self
        }

        /// Caches only objects for which `keeps` returns `true`. The informer filters them itself, so
        /// the condition can be anything; a selector, which the API server applies, also spares the
        /// requests and the decoding of the others. Two informers share a cache only if the names of their
        /// filters are equal.
        ///
        /// `keeps` sees the object as it would be cached, after [`transform`](Self::transform), and
        /// must depend on the object alone. An object that no longer passes is removed, and handlers
        /// receive a deletion of [`Origin::Filter`](crate::event::Origin::Filter); one that passes again
        /// is added. An object for which `keeps` panics counts as undecodable.
        ///
        /// Each list decodes the objects that are not cached again. Storages that keep bytes decode each
        /// version once for the filter.
        ///
        /// # Examples
        ///
        /// ```
        /// # extern crate informer_runtime as informer;
        /// use informer::{InformerOptions, SharedInformerFactory};
        /// use k8s_openapi::api::core::v1::Pod;
        ///
        /// fn has_volumes(pod: &Pod) -> bool {
        ///     pod.spec.iter().any(|spec| spec.volumes.is_some())
        /// }
        ///
        /// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
        /// let factory = SharedInformerFactory::builder(client)
        ///     .with_type(InformerOptions::<Pod>::new().filter("has-volumes", has_volumes))
        ///     .build()?;
        /// # Ok(())
        /// # }
        /// ```
        #[must_use]
        pub fn filter(
            mut self,
            name: impl Into<::std::sync::Arc<str>>,
            keeps: impl Fn(&K) -> bool + Send + Sync + 'static,
        ) -> Self {
            let filter = $crate::storage::Filter::new(name, keeps);
            self.config_mut().filter = Some(::std::sync::Arc::new(filter));
            self
        }

        /// Sets a user's store that receives every change of the cache before handlers are
        /// notified.
        ///
        /// Each informer with these settings calls `make` for a store of its own, when there is a
        /// first batch to write. `make` must not block for long. A panic in `make` counts as a
        /// panic of the store.
        ///
        /// # Examples
        ///
        /// ```
        /// # extern crate informer_runtime as informer;
        /// # use informer_runtime::shared_informer::{WriteThroughStore, StoreBatch};
        /// # use informer_runtime::status::StoreError;
        /// use informer::{InformerOptions, SharedInformerFactory};
        /// use k8s_openapi::api::core::v1::Pod;
        ///
        /// /// Prints the changes of the cache.
        /// struct Journal;
        ///
        /// impl WriteThroughStore<Pod> for Journal {
        ///     async fn apply(&mut self, batch: &StoreBatch<Pod>) -> Result<(), StoreError> {
        ///         let version = batch.snapshot().resource_version();
        ///         println!("{} changes at {version}", batch.changes().count());
        ///         Ok(())
        ///     }
        /// }
        ///
        /// # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
        /// let factory = SharedInformerFactory::builder(client)
        ///     .with_type(InformerOptions::<Pod>::new().store(|| Journal))
        ///     .build()?;
        /// let pods = factory.informer::<Pod>();
        /// # Ok(())
        /// # }
        /// ```
        #[must_use]
        pub fn store<T: $crate::shared_informer::WriteThroughStore<S::Object>>(
            mut self,
            make: impl Fn() -> T + Send + Sync + 'static,
        ) -> Self {
            self.config_mut().store = Some($crate::shared_informer::controller::make_store::<
                S::Object,
                T,
            >(make));
            self
        }
    };
}

pub(super) use typed_settings;

// === impl InformerOptions ===

impl<K: Object, S: Storage<K>> InformerOptions<K, S> {
    /// Creates options without any setting: the type's and the factory's settings apply.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    informer_settings!();
    request_settings!();
    typed_settings!();

    /// Caches all objects, although the factory caches only a part of them: nodes, namespaces, and
    /// configuration that all replicas read. See
    /// [`shards`](crate::factory::SharedInformerFactoryBuilder::shards).
    #[must_use]
    pub fn unsharded(mut self) -> Self {
        self.config.unsharded = Some(true);
        self
    }

    fn config_mut(&mut self) -> &mut InformerConfig {
        &mut self.config
    }
}
