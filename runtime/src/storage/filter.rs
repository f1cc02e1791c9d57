//! [`Filter`]: a condition on the objects that an informer caches.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use derive_where::derive_where;

use crate::object::Object;

/// Condition on the objects that an informer caches, with a name.
#[derive_where(Clone)]
pub(crate) struct Filter<K> {
    name: Arc<str>,
    keeps: Arc<dyn Fn(&K) -> bool + Send + Sync>,
}

/// [`Filter`] of objects of any type.
pub(crate) trait AnyFilter: Any + fmt::Debug + Send + Sync {
    fn name(&self) -> &Arc<str>;
}

// === impl Filter ===

impl<K: Object> Filter<K> {
    pub(crate) fn new(
        name: impl Into<Arc<str>>,
        keeps: impl Fn(&K) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            keeps: Arc::new(keeps),
        }
    }

    /// Returns a filter of some type, if it is one of objects `K`.
    pub(crate) fn of(filter: &dyn AnyFilter) -> Option<&Self> {
        (filter as &dyn Any).downcast_ref()
    }

    pub(crate) fn keeps(&self, object: &K) -> bool {
        (self.keeps)(object)
    }
}

impl<K: Object> AnyFilter for Filter<K> {
    fn name(&self) -> &Arc<str> {
        &self.name
    }
}

impl<K> fmt::Debug for Filter<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Filter").field(&self.name).finish()
    }
}
