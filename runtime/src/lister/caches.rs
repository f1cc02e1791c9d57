//! [`ReadsCaches`]: the caches behind a reader.

use std::ops::Deref;
use std::sync::Arc;

use futures::future::BoxFuture;

use super::{Lister, NamespaceLister};
use crate::indexer::{Index, IndexValue, Indexer};
use crate::object::Object;
use crate::storage::Storage;

/// Function that is called with each cache, and with the namespace to which its reads are limited.
pub type VisitCache<'a> = dyn FnMut(CacheId, Option<&str>) + 'a;

/// Identity of a cache while it exists. All readers of the cache have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheId(usize);

/// Reader of caches: a lister, an index, a relation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not read caches of informers",
    note = "pass a lister, an index, an informer, or a relation"
)]
pub trait ReadsCaches {
    /// Calls `visit` with each cache that this value reads.
    fn visit_caches(&self, visit: &mut VisitCache<'_>);

    /// Returns a future that ends when this value shows what the caches show. It fails with the name
    /// of this value if that was stopped. `None` if this value reads the caches themselves.
    fn catch_up(&self) -> Option<BoxFuture<'_, Result<(), Arc<str>>>> {
        None
    }
}

impl<T: Send + Sync + 'static> From<&Indexer<T>> for CacheId {
    fn from(indexer: &Indexer<T>) -> Self {
        Self(indexer.address())
    }
}

impl<R: Deref<Target: ReadsCaches>> ReadsCaches for R {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        (**self).visit_caches(visit);
    }

    fn catch_up(&self) -> Option<BoxFuture<'_, Result<(), Arc<str>>>> {
        (**self).catch_up()
    }
}

impl<K: Object, S: Storage<K>> ReadsCaches for Lister<K, S> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        visit(self.indexer().into(), None);
    }
}

impl<K: Object, S: Storage<K>> ReadsCaches for NamespaceLister<'_, K, S> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        visit(self.lister.indexer().into(), Some(self.namespace()));
    }
}

impl<T: Send + Sync + 'static, V: IndexValue> ReadsCaches for Index<T, V> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        visit((&self.indexer).into(), None);
    }
}
