//! [`Wrapped`]: the content of a generated wrapper.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use crate::factory::{MakeInformers, SharedInformerFactory};
use crate::object::Object;
use crate::relations::{
    OwnedObjects, Owns, ReferencedCache, ReferencedCacheBuilder, ReferencedObjects, References,
    SelectedObjects, Selects,
};
use crate::shared_informer::SharedInformer;
use crate::storage::Storage;
use informer_runtime::private::TypedObject;

/// Informer, lister or snapshot of a kind. `W` is the kind's wrapper, which declares relations.
pub struct Wrapped<R, W> {
    reader: R,
    kind: PhantomData<fn() -> W>,
}

// === impl Wrapped ===

impl<R, W> Wrapped<R, W> {
    /// Wraps `reader`.
    #[must_use]
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            kind: PhantomData,
        }
    }

    /// Returns the reader.
    #[must_use]
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<K: Object, S: Storage<K>, W> Wrapped<SharedInformer<K, S>, W> {
    /// Returns the relation to the `T`s that these objects own, over the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn owned<T, M>(&self, maker: &M) -> OwnedObjects<K, T, M::Storage>
    where
        W: Owns<T, Owner = K>,
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
        W: References<T, Referrer = K>,
        T: TypedObject,
        M: MakeInformers<Storage: Storage<T>>,
    {
        ReferencedObjects::new(self, W::reference(), maker)
    }

    /// Starts building a cache of only the `T`s to which these objects refer. `factory` runs its
    /// informers.
    pub fn referenced<'a, T>(
        &'a self,
        factory: &'a SharedInformerFactory,
    ) -> ReferencedCacheBuilder<'a, K, S, T>
    where
        W: References<T, Referrer = K>,
        T: TypedObject,
    {
        ReferencedCache::builder(factory, self, W::reference())
    }

    /// Returns the relation to the `T`s that these objects select, over the informer of `T` that
    /// `maker` shares.
    #[must_use]
    pub fn selected<T, M>(&self, maker: &M) -> SelectedObjects<K, T, S, M::Storage>
    where
        W: Selects<T, Selecting = K>,
        T: TypedObject,
        M: MakeInformers<Storage: Storage<T>>,
    {
        SelectedObjects::new(self, W::selection(), maker)
    }
}

impl<R: Clone, W> Clone for Wrapped<R, W> {
    fn clone(&self) -> Self {
        Self::new(self.reader.clone())
    }
}

impl<R: fmt::Debug, W> fmt::Debug for Wrapped<R, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reader.fmt(f)
    }
}

impl<R, W> Deref for Wrapped<R, W> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.reader
    }
}
