//! [`WithLookups`]: informer, lister and snapshot of a kind with declarations.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use informer_runtime::factory::{MakeInformers, SharedInformerFactory};
use informer_runtime::indexer::{AddIndexError, Indexer, Snapshot};
use informer_runtime::lister::{Lister, NamespaceLister};
use informer_runtime::object::{Object, ResourceInfo};
use informer_runtime::processor::{AddHandlerError, HandlerRegistration};
use informer_runtime::shared_informer::{InformerOptions, SharedInformer};
use informer_runtime::storage::{Storage, Typed};
use kube::core::DynamicObject;

use super::related::{Each, Related};
use crate::relations::{
    EnqueueRelated, OwnedObjects, Owns, ReferencedCache, ReferencedCacheBuilder, ReferencedObjects,
    References, SelectedObjects, Selects,
};
use crate::workqueue::KeyQueue;
use informer_runtime::private::{
    EachIndex, TypedObject, dynamic_get, dynamic_lister, dynamic_namespace,
};

/// Declarations of a kind, implemented by the struct `FooLookups` of generated code.
///
/// `FooLookups<R>` has the methods of the kind, such as `by_app`, and holds a reader `R`: an
/// informer, a lister or a snapshot.
pub trait Lookups: Sized {
    /// Type of the objects.
    type Kind: Object;

    /// Source of the kind's resource: [`FromType`] or [`FromDefinition`].
    type Source: Source<Self>;

    /// The same struct around a reader.
    type Over<R>: Deref<Target = R>;

    /// Puts the methods on top of those of `reader`.
    fn over<R>(reader: R) -> Self::Over<R>;

    /// Passes on each index.
    fn indices<S: Storage<Self::Kind>>(_each: &mut EachIndex<'_, Self::Kind, S>) {}
}

/// Declarations of a kind without a Rust type.
pub trait DynamicLookups: Lookups<Kind = DynamicObject> {
    /// Scope of the resource: [`Namespaced`] or [`Cluster`].
    type Scope;

    /// Returns the resource.
    fn resource() -> ResourceInfo;
}

/// Source of a kind's resource.
pub trait Source<L: Lookups> {
    /// Returns the informer that `maker` shares for these settings.
    fn make<S: Storage<L::Kind>, M: MakeInformers<Storage = S>>(
        maker: &M,
        options: InformerOptions<L::Kind, S>,
    ) -> SharedInformer<L::Kind, S>;

    /// Returns a lister over a store that the caller fills.
    fn lister(indexer: &Indexer<L::Kind>) -> Lister<L::Kind>;
}

/// The type of the objects tells their resource.
#[derive(Debug)]
pub struct FromType;

/// The look-ups tell the resource, for a kind without a Rust type.
#[derive(Debug)]
pub struct FromDefinition;

/// Scope of a resource without a Rust type: its objects belong to namespaces.
#[derive(Debug)]
pub struct Namespaced;

/// Scope of a resource without a Rust type: its objects are cluster-scoped.
#[derive(Debug)]
pub struct Cluster;

/// Reader `R` with the methods of `L`. `FooInformer`, `FooLister` and `FooListerSnapshot` are aliases
/// of it.
///
/// Dereferences to the kind's own struct, and this one to the reader. rustc thus finds the methods
/// of both without an import, and the user's crate contains nothing that all kinds have in common.
pub struct WithLookups<R, L: Lookups>(L::Over<R>);

// === impl Source ===

impl<K: Object<DynamicType = ()>, L: Lookups<Kind = K>> Source<L> for FromType {
    fn make<S: Storage<K>, M: MakeInformers<Storage = S>>(
        maker: &M,
        options: InformerOptions<K, S>,
    ) -> SharedInformer<K, S> {
        maker.make(options)
    }

    fn lister(indexer: &Indexer<K>) -> Lister<K> {
        Lister::from(indexer)
    }
}

impl<L: DynamicLookups> Source<L> for FromDefinition {
    fn make<S: Storage<DynamicObject>, M: MakeInformers<Storage = S>>(
        maker: &M,
        options: InformerOptions<DynamicObject, S>,
    ) -> SharedInformer<DynamicObject, S> {
        maker.make_dynamic(L::resource(), options)
    }

    fn lister(indexer: &Indexer<DynamicObject>) -> Lister<DynamicObject> {
        dynamic_lister(L::resource(), indexer)
    }
}

// === impl WithLookups ===

impl<R, L: Lookups> WithLookups<R, L> {
    fn over(reader: R) -> Self {
        Self(L::over(reader))
    }

    fn reader(&self) -> &R {
        &self.0
    }
}

impl<K: Object, S: Storage<K>, L: Lookups<Kind = K>> WithLookups<SharedInformer<K, S>, L> {
    /// Returns the informer that `maker` shares. Creates it if it does not exist.
    #[must_use]
    pub fn new<M: MakeInformers<Storage = S>>(maker: &M) -> Self {
        Self::with(maker, InformerOptions::new())
    }

    /// Returns the informer that `maker` shares for these settings, such as a selector, a
    /// namespace or a transform. Requests with the same settings share one informer.
    #[must_use]
    pub fn with<M>(maker: &M, options: InformerOptions<K, S>) -> Self
    where
        M: MakeInformers<Storage = S>,
    {
        let informer = L::Source::make(maker, options);
        EachIndex::add(informer.indexer(), L::indices::<S>);
        Self::over(informer)
    }

    /// Returns the lister of the informer's cache.
    #[must_use]
    pub fn lister(&self) -> WithLookups<Lister<K, S>, L> {
        WithLookups::over(self.reader().lister())
    }

    /// Returns the relation to the `T`s that these objects own, over the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn owned<T, M>(&self, maker: &M) -> OwnedObjects<K, T, M::Storage>
    where
        L: Owns<T, Owner = K>,
        T: TypedObject,
        M: MakeInformers<Storage: Storage<T>>,
    {
        OwnedObjects::new(self.resource(), maker)
    }

    /// Returns the relation to the `T`s to which these objects refer, over the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn references_to<T, M>(&self, maker: &M) -> ReferencedObjects<K, T, S, M::Storage>
    where
        L: References<T, Referrer = K>,
        T: TypedObject,
        M: MakeInformers<Storage: Storage<T>>,
    {
        ReferencedObjects::new(self, L::REFERENCE, maker)
    }

    /// Starts building a cache of only the `T`s to which these objects refer. `factory` runs its
    /// informers.
    pub fn referenced<'a, T>(
        &'a self,
        factory: &'a SharedInformerFactory,
    ) -> ReferencedCacheBuilder<'a, K, S, T>
    where
        L: References<T, Referrer = K>,
        T: TypedObject,
    {
        ReferencedCache::builder(factory, self, L::REFERENCE)
    }

    /// Returns the relation to the `T`s that these objects select, over the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn selected<T, M>(&self, maker: &M) -> SelectedObjects<K, T, S, M::Storage>
    where
        L: Selects<T, Selecting = K>,
        T: TypedObject,
        M: MakeInformers<Storage: Storage<T>>,
    {
        SelectedObjects::new(self, L::SELECTION, maker)
    }
}

impl<K: Object, S: Storage<K>, L: Lookups<Kind = K>> WithLookups<Lister<K, S>, L> {
    /// Returns a consistent snapshot of the cache. Later changes do not affect it. O(1).
    #[must_use]
    pub fn snapshot(&self) -> WithLookups<Snapshot<S::Object>, L> {
        WithLookups::over(self.reader().snapshot())
    }
}

impl<S, L> WithLookups<Lister<DynamicObject, S>, L>
where
    S: Storage<DynamicObject>,
    L: DynamicLookups<Scope = Namespaced>,
{
    /// Returns a lister of one namespace.
    #[must_use]
    pub fn namespace<'a>(&'a self, namespace: &'a str) -> NamespaceLister<'a, DynamicObject, S> {
        dynamic_namespace(self.reader(), namespace)
    }
}

impl<S, L> WithLookups<Lister<DynamicObject, S>, L>
where
    S: Storage<DynamicObject>,
    L: DynamicLookups<Scope = Cluster>,
{
    /// Returns the object with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Arc<S::Object>> {
        dynamic_get(self.reader(), name)
    }
}

impl<K: Object, S: Storage<K>, A, L: Lookups<Kind = K>> WithLookups<Related<K, S, A>, L> {
    /// Creates the relations of the objects of `informer`.
    #[must_use]
    pub fn related(informer: &SharedInformer<K, S>, all: A, each: Each<K, A>) -> Self {
        Self::over(Related::new(informer, all, each))
    }
}

impl<K, R: EnqueueRelated<K>, L: Lookups<Over<R>: Send + Sync> + 'static> EnqueueRelated<K>
    for WithLookups<R, L>
{
    fn enqueue_related(
        &self,
        queue: &KeyQueue,
    ) -> Vec<Result<HandlerRegistration, AddHandlerError>> {
        self.reader().enqueue_related(queue)
    }
}

impl<R, L: Lookups> Deref for WithLookups<R, L> {
    type Target = L::Over<R>;

    fn deref(&self) -> &L::Over<R> {
        &self.0
    }
}

impl<R: Clone, L: Lookups> Clone for WithLookups<R, L> {
    fn clone(&self) -> Self {
        Self::over(self.reader().clone())
    }
}

impl<R: fmt::Debug, L: Lookups> fmt::Debug for WithLookups<R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader().fmt(f)
    }
}

impl<K: Object, S: Storage<K>, L: Lookups> From<WithLookups<Self, L>> for SharedInformer<K, S> {
    fn from(informer: WithLookups<Self, L>) -> Self {
        informer.reader().clone()
    }
}

impl<K: Object, S: Storage<K>, L: Lookups<Kind = K>> TryFrom<SharedInformer<K, S>>
    for WithLookups<SharedInformer<K, S>, L>
{
    type Error = AddIndexError;

    fn try_from(informer: SharedInformer<K, S>) -> Result<Self, AddIndexError> {
        EachIndex::try_add(informer.indexer(), L::indices::<S>)?;
        Ok(Self::over(informer))
    }
}

impl<K: Object, L: Lookups<Kind = K>> TryFrom<&Indexer<K>> for WithLookups<Lister<K>, L> {
    type Error = AddIndexError;

    fn try_from(indexer: &Indexer<K>) -> Result<Self, AddIndexError> {
        EachIndex::try_add(indexer, L::indices::<Typed>)?;
        Ok(Self::over(L::Source::lister(indexer)))
    }
}
