//! [`InformerOptions`]: all settings of an informer of one type.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::config::{InformerConfig, informer_settings, request_settings};
use super::error::ConfigError;
use crate::object::{Object, ResourceInfo};
use crate::storage::{Storage, Transform, Typed};

/// Settings of one informer, or of all informers of one type: an [`InformerConfig`], and the
/// settings that depend on the type of objects and on their storage.
///
/// Two requests share an informer only if these settings are equal: namespace, selectors,
/// transform, `drop_fields`, `keep_managed_fields`, and the storage with its settings. All other
/// settings come from the first request.
pub struct InformerOptions<K: Object, S: Storage<K> = Typed> {
    pub(crate) config: InformerConfig,
    pub(crate) transform: Option<Transform<K>>,
    /// `config.store` makes a store of the handles of `S`.
    storage: PhantomData<fn() -> S>,
}

/// Declares the setters of type-dependent settings, on a type with `fn options_mut(&mut self) ->
/// &mut InformerOptions<K, S>`.
macro_rules! typed_settings {
    () => {
        /// Sets a function that changes every object before it is stored, indexed or passed to
        /// handlers.
        #[must_use]
        pub fn transform(mut self, transform: $crate::storage::Transform<K>) -> Self {
            self.options_mut().transform = Some(transform);
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
        /// use std::sync::Arc;
        ///
        /// # use informer_runtime::shared_informer::{WriteThroughStore, StoreBatch};
        /// # use informer_runtime::status::StoreError;
        /// use informer::{InformerOptions, SharedInformerFactory};
        /// use k8s_openapi::api::core::v1::Pod;
        ///
        /// /// Prints the changes of the cache.
        /// struct Journal;
        ///
        /// impl WriteThroughStore<Arc<Pod>> for Journal {
        ///     async fn apply(&mut self, batch: &StoreBatch<Arc<Pod>>) -> Result<(), StoreError> {
        ///         println!("{} changes at {}", batch.changes().count(), batch.resource_version());
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
        pub fn store<T: $crate::shared_informer::WriteThroughStore<S::Handle>>(
            mut self,
            make: impl Fn() -> T + Send + Sync + 'static,
        ) -> Self {
            self.options_mut().config.store =
                Some($crate::shared_informer::controller::make_store::<
                    S::Handle,
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
        Self {
            config: InformerConfig::new(),
            transform: None,
            storage: PhantomData,
        }
    }

    informer_settings!();
    request_settings!();
    typed_settings!();

    fn config_mut(&mut self) -> &mut InformerConfig {
        &mut self.config
    }

    fn options_mut(&mut self) -> &mut Self {
        self
    }

    /// Returns these options, with unset settings taken from `defaults`.
    pub(crate) fn or(self, defaults: &Self) -> Self {
        Self {
            config: self.config.or(&defaults.config),
            transform: self.transform.or_else(|| defaults.transform.clone()),
            storage: PhantomData,
        }
    }

    /// Returns these options, with unset settings taken from `defaults`, which belong to another
    /// storage. Settings that depend on the storage's handles are not taken.
    pub(crate) fn or_of_storage<T: Storage<K>>(self, defaults: &InformerOptions<K, T>) -> Self {
        Self {
            config: self.config.or_of_storage(&defaults.config),
            transform: self.transform.or_else(|| defaults.transform.clone()),
            storage: PhantomData,
        }
    }

    /// Checks all settings.
    pub(crate) fn validate_for(
        &self,
        storage: &S,
        resource: &ResourceInfo,
    ) -> Result<(), ConfigError> {
        self.config.validate_for(resource)?;
        match &self.transform {
            Some(transform) if !storage.accepts(transform) => Err(
                ConfigError::TransformNotAccepted(Arc::clone(transform.name())),
            ),
            _ => Ok(()),
        }
    }
}

impl<K: Object, S: Storage<K>> Default for InformerOptions<K, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Object, S: Storage<K>> Clone for InformerOptions<K, S> {
    fn clone(&self) -> Self {
        Self {
            config: self.config.clone(),
            transform: self.transform.clone(),
            storage: PhantomData,
        }
    }
}

impl<K: Object, S: Storage<K>> fmt::Debug for InformerOptions<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InformerOptions")
            .field("config", &self.config)
            .field("transform", &self.transform)
            .finish_non_exhaustive()
    }
}
