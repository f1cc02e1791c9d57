//! [`Identity`]: what makes two requests for informers the same informer, and its name in logs.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::object::{GroupVersionResource, Object, ResourceInfo, TypeForm};
use crate::shared_informer::{InformerOptions, Selectors};
use crate::storage::Storage;
use crate::wire::DropFields;

/// The most bytes of a storage's `Debug` form that a name has; with more it has the type alone.
const MAX_STORAGE_NAME: usize = 80;

/// What makes two requests the same informer. All of it is data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) resource: GroupVersionResource,
    /// The Rust type: the same resource can be cached in full, dynamic, as metadata, projected.
    form: TypeId,
    storage: TypeId,
    storage_settings: StorageSettings,
    pub(super) namespace: Option<String>,
    pub(super) selectors: Selectors,
    transform: Option<Arc<str>>,
    /// Fields that are cut out; `None` if none is.
    drop_fields: Option<DropFields>,
    pub(super) keep_managed_fields: bool,
}

/// [`Storage::Settings`] of any storage.
#[derive(Debug, Clone)]
struct StorageSettings(Arc<dyn Settings>);

trait Settings: Any + fmt::Debug + Send + Sync {
    fn is_equal(&self, other: &dyn Settings) -> bool;
    fn feed(&self, hasher: &mut dyn Hasher);
}

// === impl Identity ===

impl Identity {
    /// Returns the identity that a request with these settings asks for; `options` are merged, and
    /// their namespace is the resource's to have.
    pub(super) fn new<K: Object, S: Storage<K>>(
        resource: &ResourceInfo,
        storage: &S,
        options: &InformerOptions<K, S>,
    ) -> Self {
        let config = &options.config;
        let transform = options.transform.as_ref();
        let drop_fields = config.drop_fields.as_ref();
        Self {
            resource: resource.gvr(),
            form: TypeId::of::<K>(),
            storage: TypeId::of::<S>(),
            storage_settings: StorageSettings(Arc::new(storage.settings())),
            namespace: config.namespace.clone(),
            selectors: config.selectors.clone(),
            transform: transform.map(|transform| Arc::clone(transform.name())),
            drop_fields: drop_fields.filter(|fields| !fields.is_empty()).cloned(),
            keep_managed_fields: config.keep_managed_fields.unwrap_or_default(),
        }
    }

    /// The settings by which two informers that watch the same objects in the same form are two; empty
    /// if they do not.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let same_objects = self.resource == other.resource
            && self.form == other.form
            && self.namespace == other.namespace
            && self.selectors == other.selectors;
        let settings = [
            ("storage", self.storage != other.storage),
            ("settings of the storage", {
                let same_storage = self.storage == other.storage;
                same_storage && self.storage_settings != other.storage_settings
            }),
            ("transform", self.transform != other.transform),
            ("drop_fields", self.drop_fields != other.drop_fields),
            (
                "keep_managed_fields",
                self.keep_managed_fields != other.keep_managed_fields,
            ),
        ];
        let different = settings.into_iter().filter(|(_, differs)| *differs);
        different
            .map(|(setting, _)| setting)
            .filter(|_| same_objects)
            .collect()
    }

    /// Returns what tells the informer from others in logs and errors.
    pub(super) fn name<K: Object, S: Storage<K>>(
        &self,
        resource: &ResourceInfo,
        storage: &S,
    ) -> String {
        let form = match TypeForm::of::<K>() {
            TypeForm::Typed => None,
            form @ (TypeForm::Dynamic | TypeForm::Metadata) => Some(form.as_str().to_owned()),
        };
        let Selectors { label, field } = &self.selectors;
        let quoted = |what: &str, value: &dyn fmt::Display| format!("{what} `{value}`");
        let scope = self.namespace.iter();
        let transform = self.transform.iter();
        let storage = (!S::IS_DEFAULT).then(|| quoted("storage", &storage_name(storage)));
        let kept = self
            .keep_managed_fields
            .then(|| "with managed fields".to_owned());
        let without = self.drop_fields.iter().map(|fields| {
            let paths = fields.paths().iter();
            let paths: Vec<String> = paths.map(|path| format!("`{path}`")).collect();
            format!("without {}", paths.join(", "))
        });
        let parts: Vec<String> = form
            .into_iter()
            .chain(storage)
            .chain(scope.map(|namespace| quoted("namespace", namespace)))
            .chain(label.iter().map(|label| quoted("labels", label)))
            .chain(field.iter().map(|field| quoted("fields", field)))
            .chain(transform.map(|transform| quoted("transform", transform)))
            .chain(without)
            .chain(kept)
            .collect();
        if parts.is_empty() {
            resource.to_string()
        } else {
            format!("{resource} ({})", parts.join(", "))
        }
    }
}

/// Returns a storage's type, with its settings if they are few.
fn storage_name<S: fmt::Debug>(storage: &S) -> String {
    let path = type_name::<S>();
    let path = path.split('<').next().unwrap_or(path);
    let name = path.rsplit("::").next().unwrap_or(path);
    let settings = format!("{storage:?}");
    let is_short = settings.starts_with(name) && settings.len() <= MAX_STORAGE_NAME;
    if is_short { settings } else { name.to_owned() }
}

// === impl Settings ===

impl<T: Any + fmt::Debug + Eq + Hash + Send + Sync> Settings for T {
    fn is_equal(&self, other: &dyn Settings) -> bool {
        let other: &dyn Any = other;
        other.downcast_ref() == Some(self)
    }

    fn feed(&self, mut hasher: &mut dyn Hasher) {
        self.hash(&mut hasher);
    }
}

// === impl StorageSettings ===

impl PartialEq for StorageSettings {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_equal(&*other.0)
    }
}

impl Eq for StorageSettings {}

impl Hash for StorageSettings {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.feed(state);
    }
}
