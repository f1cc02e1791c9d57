//! [`Identity`]: the settings that decide whether two requests share an informer, and the
//! informer's name in logs.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use crate::coverage::{OnlyNames, Selectors};
use crate::object::{GroupVersionResource, Object, ResourceInfo, Scope, TypeForm};
use crate::shared_informer::InformerConfig;
use crate::storage::Storage;
use crate::wire::DropFields;

/// Maximum length in bytes of a storage's `Debug` form in a name. A longer form is replaced by the
/// storage's type.
const MAX_STORAGE_NAME: usize = 80;

/// Settings that decide whether two requests share an informer. Contains no functions, only data.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Identity {
    pub(super) resource: GroupVersionResource,
    /// A resource that is defined again may have another.
    scope: Scope,
    types: Types,
    /// Empty for all.
    pub(super) namespaces: BTreeSet<String>,
    pub(super) selectors: Selectors,
    names: Option<OnlyNames>,
    /// `true` if the informer caches only the part of this replica.
    is_sharded: bool,
    transform: Option<Arc<str>>,
    filter: Option<Arc<str>>,
    /// Fields to cut out of objects; `None` if there are none.
    drop_fields: Option<DropFields>,
    pub(super) keep_managed_fields: bool,
    retain_deleted: Option<Duration>,
}

/// Types of an informer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Types {
    /// Rust type of the objects: one resource can be cached in full, dynamic, as metadata, or
    /// projected.
    object: TypeId,
    storage: TypeId,
    storage_settings: StorageSettings,
}

/// Type-erased [`Storage::Settings`].
#[derive(Debug, Clone)]
struct StorageSettings(Arc<dyn Settings>);

trait Settings: Any + fmt::Debug + Send + Sync {
    fn is_equal(&self, other: &dyn Settings) -> bool;
    fn feed(&self, hasher: &mut dyn Hasher);
}

// === impl Types ===

impl Types {
    pub(super) fn of<K: Object, S: Storage<K>>(storage: &S) -> Self {
        Self {
            object: TypeId::of::<K>(),
            storage: TypeId::of::<S>(),
            storage_settings: StorageSettings(Arc::new(storage.settings())),
        }
    }
}

// === impl Identity ===

impl Identity {
    /// Returns the identity of a request. `config` must be merged with all defaults, and have a
    /// namespace only if the resource is namespaced.
    pub(super) fn new(resource: &ResourceInfo, types: Types, config: &InformerConfig) -> Self {
        let transform = config.transform.as_ref();
        let filter = config.filter.as_ref();
        let drop_fields = config.drop_fields.as_ref();
        Self {
            resource: resource.gvr(),
            scope: resource.scope,
            types,
            namespaces: config.named_namespaces().map(str::to_owned).collect(),
            selectors: config.selectors.clone(),
            names: config.names.clone(),
            is_sharded: config.unsharded == Some(false),
            transform: transform.map(|transform| Arc::clone(transform.name())),
            filter: filter.map(|filter| Arc::clone(filter.name())),
            drop_fields: drop_fields.filter(|fields| !fields.is_empty()).cloned(),
            keep_managed_fields: config.keep_managed_fields.unwrap_or_default(),
            retain_deleted: config.retain_deleted,
        }
    }

    /// Returns why an informer of this identity is outdated, if `latest` has the current scope of the
    /// resource. The scope of a Rust type does not change.
    pub(super) fn outdated_by(&self, latest: &Self) -> Option<String> {
        let is_same = self.resource == latest.resource && self.types.object == latest.types.object;
        let scope = match latest.scope {
            Scope::Cluster => "cluster-scoped",
            Scope::Namespaced => "namespaced",
        };
        let is_outdated = is_same && self.scope != latest.scope;
        is_outdated.then(|| format!("{} is {scope} now: request it again", self.resource))
    }

    /// Reports whether the informer belongs to a `ReferencedCache`.
    pub(super) fn is_private(&self) -> bool {
        self.names.is_some()
    }

    /// Returns the settings in which two informers of the same objects in the same form differ;
    /// empty if they watch different objects or forms.
    pub(super) fn differences(&self, other: &Self) -> Vec<&'static str> {
        let same_objects = self.resource == other.resource
            && self.types.object == other.types.object
            && self.namespaces == other.namespaces
            && self.selectors == other.selectors
            && self.names == other.names
            && self.filter == other.filter
            && self.is_sharded == other.is_sharded;
        let settings = [
            ("storage", self.types.storage != other.types.storage),
            ("settings of the storage", {
                let same_storage = self.types.storage == other.types.storage;
                same_storage && self.types.storage_settings != other.types.storage_settings
            }),
            ("transform", self.transform != other.transform),
            ("drop_fields", self.drop_fields != other.drop_fields),
            (
                "retain_deleted",
                self.retain_deleted != other.retain_deleted,
            ),
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

    /// Returns a name that distinguishes the informer from others in logs and errors.
    /// `storage` is the name of the storage, unless that is the default.
    pub(super) fn name(
        &self,
        resource: &ResourceInfo,
        form: TypeForm,
        storage: Option<String>,
    ) -> String {
        let form_name = match form {
            TypeForm::Typed => None,
            TypeForm::Dynamic | TypeForm::Metadata => Some(form.as_str().to_owned()),
        };
        let Selectors { label, field } = &self.selectors;
        let quoted = |what: &str, value: &dyn fmt::Display| format!("{what} `{value}`");
        let namespaces: Vec<&str> = self.namespaces.iter().map(String::as_str).collect();
        let scope = match namespaces.as_slice() {
            [] => None,
            [one] => Some(quoted("namespace", one)),
            several => Some(quoted("namespaces", &several.join(","))),
        };
        let counts = self.names.iter().map(|only| only.names.len());
        let names = counts.filter(|count| *count > 1);
        let transform = self.transform.iter();
        let filter = self.filter.iter();
        let kept = self
            .keep_managed_fields
            .then(|| "with managed fields".to_owned());
        let dropped = self.drop_fields.iter();
        let parts: Vec<String> = form_name
            .into_iter()
            .chain(storage.map(|storage| quoted("storage", &storage)))
            .chain(scope)
            .chain(label.iter().map(|label| quoted("labels", label)))
            .chain(field.iter().map(|field| quoted("fields", field)))
            .chain(names.map(|count| format!("{count} names")))
            .chain(transform.map(|transform| quoted("transform", transform)))
            .chain(filter.map(|filter| quoted("filter", filter)))
            .chain(dropped.map(|fields| format!("without {fields}")))
            .chain(self.is_sharded.then(|| "sharded".to_owned()))
            .chain(kept)
            .collect();
        if parts.is_empty() {
            resource.to_string()
        } else {
            format!("{resource} ({})", parts.join(", "))
        }
    }
}

/// Returns the storage's type, with its settings if these are short.
pub(super) fn storage_name<S: fmt::Debug>(storage: &S) -> String {
    let full = type_name::<S>();
    let path = full.split('<').next().unwrap_or(full);
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
