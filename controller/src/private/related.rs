//! Relations of generated code: the keys of referenced objects, selectors, and all relations of a kind.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use informer_runtime::lister::{Lister, ReadsCaches, VisitCache};
use informer_runtime::object::{Object, ObjectKey, ResourceScope, Scope, Selector};
use informer_runtime::processor::{AddHandlerError, HandlerRegistration};
use informer_runtime::shared_informer::SharedInformer;
use informer_runtime::storage::Storage;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::Resource;
use kube::core::{DynamicObject, DynamicResourceScope};
use serde_json::Value;

use crate::relations::{self, EnqueueRelated, LabelSelection, Reference, Relation};
use crate::workqueue::{KeyQueue, enqueue_into};
use informer_runtime::private::{IndexValue, places, values_at};

/// Scope of objects that can refer to an object of the scope `T` without a namespace.
#[diagnostic::on_unimplemented(
    message = "the reference names no namespace: its object is cluster-scoped, and the referenced object is namespaced",
    label = "add the path of the namespace: `namespace = \"spec.path\"`",
    note = "an object in a namespace refers to objects of its own namespace by default"
)]
pub trait RefersTo<T> {}

impl<T> RefersTo<T> for NamespaceResourceScope {}

impl RefersTo<ClusterResourceScope> for ClusterResourceScope {}

impl<T> RefersTo<T> for DynamicResourceScope {}

/// Keys of the `T`s that one object mentions.
#[derive(Debug)]
pub struct Keys<T> {
    namespace: Option<String>,
    found: Vec<ObjectKey>,
    target: PhantomData<fn() -> T>,
}

/// Fields of one place that name an object.
#[derive(Debug)]
pub struct Named {
    names: Vec<String>,
    /// `None` if the object's own namespace applies.
    namespaces: Option<Vec<String>>,
    /// `None` if the place names objects of one kind only.
    kinds: Option<Vec<String>>,
}

/// Members of a dynamic object that complete a name, by their JSON names.
#[derive(Clone, Copy, Debug)]
pub enum Beside<'a> {
    /// Way from the place of the name.
    Name(&'a [&'a str]),
    /// Way from the object.
    Object(&'a [&'a str]),
}

// === impl Keys ===

impl<T: Object<DynamicType = ()>> Keys<T> {
    /// Creates an empty set of keys, of references in `object`.
    #[must_use]
    pub fn of<K: Resource>(object: &K) -> Self {
        Self {
            namespace: object.meta().namespace.clone(),
            found: Vec::new(),
            target: PhantomData,
        }
    }

    /// Creates an empty set of keys, of references in `object` that name no namespace.
    #[must_use]
    pub fn in_namespace_of<K: Resource<Scope: RefersTo<T::Scope>>>(object: &K) -> Self {
        Self::of(object)
    }

    /// Adds the keys that one place names. An empty name or namespace counts as missing.
    pub fn add(&mut self, place: Named) {
        let is_target = |kinds: &Vec<String>| kinds.iter().any(|kind| *kind == T::kind(&()));
        if !place.kinds.as_ref().is_none_or(is_target) {
            return;
        }
        let is_cluster_scoped = <T::Scope as ResourceScope>::SCOPE == Some(Scope::Cluster);
        let other = place.namespaces.into_iter().flatten();
        let other = other.into_iter().find(|namespace| !namespace.is_empty());
        let namespace = other.as_deref().or(self.namespace.as_deref());
        if namespace.is_none() && !is_cluster_scoped {
            return;
        }
        let names = place.names.iter().filter(|name| !name.is_empty());
        let namespace = namespace.filter(|_| !is_cluster_scoped);
        self.found
            .extend(names.map(|name| ObjectKey::new(namespace, name)));
    }

    /// Returns the keys.
    #[must_use]
    pub fn into_vec(self) -> Vec<ObjectKey> {
        self.found
    }
}

// === impl Named ===

impl Named {
    /// Creates the fields of a place with these names.
    #[must_use]
    pub const fn new(names: Vec<String>) -> Self {
        Self {
            names,
            namespaces: None,
            kinds: None,
        }
    }

    /// Sets the namespaces, instead of the object's own.
    #[must_use]
    pub fn namespaces(mut self, namespaces: Vec<String>) -> Self {
        self.namespaces = Some(namespaces);
        self
    }

    /// Sets the kinds, of a place that names objects of several kinds.
    #[must_use]
    pub fn kinds(mut self, kinds: Vec<String>) -> Self {
        self.kinds = Some(kinds);
        self
    }
}

/// Returns the keys of the `T`s with these names, in the namespace of `object`.
#[must_use]
pub fn keys<T, K>(object: &K, names: Vec<String>) -> Vec<ObjectKey>
where
    T: Object<DynamicType = ()>,
    K: Resource<Scope: RefersTo<T::Scope>>,
{
    let mut keys = Keys::<T>::in_namespace_of(object);
    keys.add(Named::new(names));
    keys.into_vec()
}

/// Returns the keys of the `T`s that a dynamic object names: at each `place`, by members with these
/// JSON names.
#[must_use]
pub fn json_keys<T: Object<DynamicType = ()>>(
    object: &DynamicObject,
    place: &[&str],
    name: &[&str],
    namespace: Option<Beside<'_>>,
    kind: Option<Beside<'_>>,
) -> Vec<ObjectKey> {
    let mut keys = Keys::<T>::of(object);
    for place in places(&object.data, place) {
        let values = |field: Beside<'_>| match field {
            Beside::Name(path) => values_at(place, path),
            Beside::Object(path) => values_at(&object.data, path),
        };
        keys.add(Named {
            names: values_at(place, name),
            namespaces: namespace.map(values),
            kinds: kind.map(values),
        });
    }
    keys.into_vec()
}

/// Returns the selectors at a JSON path. An object whose only members are `matchLabels` and
/// `matchExpressions` is a `LabelSelector`, any other object a map of labels.
#[must_use]
pub fn json_selectors(object: &DynamicObject, path: &[&str]) -> Vec<Selector> {
    let selectors = places(&object.data, path);
    selectors.into_iter().filter_map(json_selector).collect()
}

fn json_selector(value: &Value) -> Option<Selector> {
    let members = value.as_object()?;
    let mut names = members.keys();
    if names.all(|name| matches!(name.as_str(), "matchLabels" | "matchExpressions")) {
        let selector: LabelSelector = serde_json::from_value(value.clone()).ok()?;
        return Some(IndexValue::of(&selector));
    }
    let labels: BTreeMap<String, String> = serde_json::from_value(value.clone()).ok()?;
    Some(IndexValue::of(&labels))
}

/// Returns the values at all places of an object.
#[must_use]
pub fn of_places<K, V>(object: &K, places: &[fn(&K) -> Vec<V>]) -> Vec<V> {
    places.iter().flat_map(|values| values(object)).collect()
}

/// Returns the values of all relations of an object.
#[must_use]
pub fn of_relations<K, T, V>(object: &K, relations: &[Relation<K, T, V>]) -> Vec<V> {
    let values = relations.iter().map(|relation| relation.values(object));
    values.flatten().collect()
}

/// Relation by which a lister finds the objects that are related to another one.
pub trait Find<K: Object, S: Storage<K>> {
    /// Identifies the other object.
    type Target;

    /// Returns the objects that are related to `target`, ordered by key.
    fn find(&self, lister: &Lister<K, S>, target: &Self::Target) -> Vec<Arc<S::Object>>;
}

impl<K: Object, T: 'static, S: Storage<K>> Find<K, S> for Reference<K, T> {
    type Target = ObjectKey;

    fn find(&self, lister: &Lister<K, S>, target: &ObjectKey) -> Vec<Arc<S::Object>> {
        relations::referrers::<K, T, S>(lister.indexer(), self, target)
    }
}

impl<K: Object, T: Object<DynamicType = ()>, S: Storage<K>> Find<K, S> for LabelSelection<K, T> {
    type Target = T;

    fn find(&self, lister: &Lister<K, S>, target: &T) -> Vec<Arc<S::Object>> {
        let scope = lister.resource().scope;
        relations::selecting::<K, T, S>(lister.indexer(), scope, self, target)
    }
}

/// Informer of the `K`s with a struct `A` of all their relations: the reader of a `FooRelated`. Cheap
/// to clone.
pub struct Related<K: Object, S: Storage<K>, A> {
    informer: SharedInformer<K, S>,
    /// Relations.
    pub all: Arc<A>,
    each: Each<K, A>,
}

/// Function that returns each relation of a struct.
pub type Each<K, A> = fn(&A) -> Vec<&dyn RelationOf<K>>;

/// Relation of the `K`s, of any kind.
pub trait RelationOf<K>: EnqueueRelated<K> + ReadsCaches {}

impl<K, T: EnqueueRelated<K> + ReadsCaches> RelationOf<K> for T {}

// === impl Related ===

impl<K: Object, S: Storage<K>, A> Related<K, S, A> {
    /// Creates the relations of the objects of `informer`.
    #[must_use]
    pub fn new(informer: &SharedInformer<K, S>, all: A, each: Each<K, A>) -> Self {
        Self {
            informer: informer.clone(),
            all: Arc::new(all),
            each,
        }
    }
}

impl<K: Object, S: Storage<K>, A: Send + Sync + 'static> Related<K, S, A> {
    /// Enqueues the key of each object that changes, and of each object to which a changed object is
    /// related: its owner, its referrers, and the objects that select it. The state before a change
    /// counts like the state after it.
    ///
    /// # Errors
    ///
    /// Fails if one of the informers was stopped.
    pub fn enqueue_into(&self, queue: impl Into<KeyQueue>) -> Result<(), AddHandlerError> {
        let queue = queue.into();
        for added in self.enqueue_related(&queue) {
            added?;
        }
        self.informer.add_event_handler(enqueue_into(queue))?;
        Ok(())
    }
}

impl<K: Object, S: Storage<K>, A: Send + Sync + 'static> EnqueueRelated<K> for Related<K, S, A> {
    fn enqueue_related(
        &self,
        queue: &KeyQueue,
    ) -> Vec<Result<HandlerRegistration, AddHandlerError>> {
        let relations = (self.each)(&self.all).into_iter();
        relations
            .flat_map(|relation| relation.enqueue_related(queue))
            .collect()
    }
}

impl<K: Object, S: Storage<K>, A> ReadsCaches for Related<K, S, A> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        self.informer.visit_caches(visit);
        for relation in (self.each)(&self.all) {
            relation.visit_caches(visit);
        }
    }
}

impl<K: Object, S: Storage<K>, A> Clone for Related<K, S, A> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            all: Arc::clone(&self.all),
            each: self.each,
        }
    }
}

impl<K: Object, S: Storage<K>, A> fmt::Debug for Related<K, S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Related").field(&self.informer).finish()
    }
}
