//! [`SharedInformerBuilder`]: builds an informer over a source that the user supplies.

use std::any::Any;
use std::sync::Arc;

use derive_where::derive_where;

use super::config::{InformerConfig, informer_settings};
use super::error::ConfigError;
use super::generic_informer::Parts;
use super::options::{InformerOptions, typed_settings};
use super::shared_informer::SharedInformer;
use crate::object::{Object, ResourceInfo};
use crate::reflector::Peers;
use crate::source::ListerWatcher;
use crate::storage::{Storage, Typed};

/// Builder of a [`SharedInformer`]. [`build`](Self::build) checks the settings.
#[derive_where(Debug)]
pub struct SharedInformerBuilder<K: Object, S: Storage<K> = Typed> {
    #[derive_where(skip)]
    source: Arc<dyn ListerWatcher>,
    #[derive_where(skip)]
    storage: S,
    resource: Option<ResourceInfo>,
    name: Option<Arc<str>>,
    #[derive_where(skip)]
    options: InformerOptions<K, S>,
}

// === impl SharedInformer ===

impl<K: Object, S: Storage<K> + Default> SharedInformer<K, S> {
    /// Starts building an informer over `source`.
    #[must_use]
    pub fn builder(source: impl ListerWatcher) -> SharedInformerBuilder<K, S> {
        Self::builder_with(source, S::default())
    }
}

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Starts building an informer over `source` with a configured storage.
    #[must_use]
    pub fn builder_with(source: impl ListerWatcher, storage: S) -> SharedInformerBuilder<K, S> {
        SharedInformerBuilder {
            source: Arc::new(source),
            storage,
            resource: None,
            name: None,
            options: InformerOptions::new(),
        }
    }
}

// === impl SharedInformerBuilder ===

impl<K: Object, S: Storage<K>> SharedInformerBuilder<K, S> {
    /// Sets the resource. Required for types that do not know their resource, such as
    /// `DynamicObject`.
    #[must_use]
    pub fn resource(mut self, resource: ResourceInfo) -> Self {
        self.resource = Some(resource);
        self
    }

    /// Declares that the source covers only this namespace. Listers can then distinguish a missing
    /// object from an object that is out of scope. The default is the empty namespace, which means
    /// all namespaces.
    #[must_use]
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.options = self.options.namespace(namespace);
        self
    }

    /// Sets the name in logs and errors. Default: the resource, such as `pods.v1`.
    #[must_use]
    pub fn name(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = Some(name.into());
        self
    }

    informer_settings!();
    typed_settings!();

    fn config_mut(&mut self) -> &mut InformerConfig {
        &mut self.options.config
    }

    /// Builds the informer. The source receives no request before the informer runs.
    ///
    /// # Errors
    ///
    /// Fails if the type's resource is unknown, or if settings contradict each other.
    pub fn build(self) -> Result<SharedInformer<K, S>, ConfigError> {
        let resource = self.resource.clone().or_else(own_resource::<K>);
        let resource = resource.ok_or(ConfigError::ResourceUnknown)?;
        if let Some(setting) = self.options.config.setting_of_source() {
            return Err(ConfigError::SettingOfSource(setting));
        }
        let coverage = Arc::new(self.options.config.coverage(None));
        let parts = Parts {
            name: self.name,
            resource,
            sources: vec![(None, self.source)],
            config: self.options.config,
            peers: Peers::default(),
            metrics: Arc::default(),
            coverage,
        };
        parts.config.validate_for(&parts.resource)?;
        SharedInformer::check_transform(&self.storage, &parts.config)?;
        Ok(SharedInformer::from_parts(self.storage, parts))
    }
}

/// Returns the resource of a type that knows it statically, or `None` for a dynamic type.
fn own_resource<K: Object>() -> Option<ResourceInfo> {
    // A bound `K::DynamicType: Default` would exclude `DynamicObject`, which needs the same
    // builder.
    let no_data: &dyn Any = &();
    ResourceInfo::of::<K>(no_data.downcast_ref()?)
}
