//! Settings of a cache, and of a list.

use crate::object::Selector;

/// Behaviour of a read whose type has no informer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MissingInformer {
    /// Starts an informer, and waits for it.
    #[default]
    Start,
    /// Fails with [`CacheError::MissingInformer`](super::CacheError::MissingInformer), so that only
    /// the types that were requested explicitly, through the cache or its factory, are watched.
    /// controller-runtime's counterpart is `ReaderFailOnMissingInformer`.
    Refuse,
}

/// Options of a list. The default selects every object.
#[derive(Debug, Clone, Default)]
#[must_use]
pub struct CacheListOptions {
    pub(super) namespace: Option<String>,
    pub(super) selector: Selector,
}

// === impl CacheListOptions ===

impl CacheListOptions {
    /// Creates options that select every object.
    pub fn new() -> Self {
        Self::default()
    }

    /// Selects only objects in this namespace. Ignored for cluster-scoped resources.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// Selects only objects with matching labels.
    pub fn selector(mut self, selector: Selector) -> Self {
        self.selector = selector;
        self
    }
}
