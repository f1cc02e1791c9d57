//! [`Partition`]: the part of the objects that the informers of a replica cache.

use std::sync::Arc;

use crate::coverage::Coverage;
use crate::object::ResourceInfo;
use crate::source::ListerWatcher;

/// Part of the objects that the informers of a factory cache. Implemented by `informer-controller`.
pub trait Partition: Send + Sync + 'static {
    /// Returns the part, which changes.
    fn coverage(&self) -> Coverage;

    /// Wraps a source of the resource, so that it lists and watches the part only.
    fn source(
        &self,
        resource: &ResourceInfo,
        inner: Arc<dyn ListerWatcher>,
    ) -> Arc<dyn ListerWatcher>;
}
