//! Table from resource names to informers, filled by generated code.

use std::ops::Deref;

use crate::factory::{DiscoverError, SharedInformerFactory};
use crate::object::{GroupVersionResource, ResourceInfo};
use crate::shared_informer::GenericInformer;

/// Search over all kinds of a generated module.
///
/// The rows are function calls, not data. An array would have to be `static`, and would compile the
/// informer of every kind into programs that never search by name.
#[derive(Debug)]
pub struct ResourceTable<'a> {
    factory: &'a SharedInformerFactory,
    wanted: &'a GroupVersionResource,
    /// The next rows have the group and version of `wanted`.
    is_wanted: bool,
    found: Option<GenericInformer>,
}

/// Informer of a kind: an informer without static types, or a type that dereferences to one.
pub trait HasGeneric {
    /// Returns the informer without static types.
    fn generic(&self) -> &GenericInformer;
}

impl HasGeneric for GenericInformer {
    fn generic(&self) -> &GenericInformer {
        self
    }
}

impl<I: Deref<Target: HasGeneric>> HasGeneric for I {
    fn generic(&self) -> &GenericInformer {
        (**self).generic()
    }
}

/// Returns the informer that `typed` finds for a resource, or else an informer of its metadata.
#[must_use]
pub fn or_metadata(
    factory: &SharedInformerFactory,
    resource: &ResourceInfo,
    typed: impl FnOnce(&SharedInformerFactory, &GroupVersionResource) -> Option<GenericInformer>,
) -> GenericInformer {
    let metadata = || factory.metadata(resource.clone()).into();
    typed(factory, &resource.gvr()).unwrap_or_else(metadata)
}

/// Same as [`or_metadata`], for a resource that is discovered from the API server.
///
/// # Errors
///
/// Fails if the API server does not serve the resource, does not let it be listed and watched, or
/// cannot be reached.
pub async fn discover_or_metadata<F>(
    factory: &SharedInformerFactory,
    resource: &GroupVersionResource,
    typed: F,
) -> Result<GenericInformer, DiscoverError>
where
    F: FnOnce(&SharedInformerFactory, &GroupVersionResource) -> Option<GenericInformer> + Send,
{
    let resource = factory.discover(resource).await?;
    Ok(or_metadata(factory, &resource, typed))
}

// === impl ResourceTable ===

impl<'a> ResourceTable<'a> {
    /// Starts the search for `wanted`.
    #[must_use]
    pub fn new(factory: &'a SharedInformerFactory, wanted: &'a GroupVersionResource) -> Self {
        Self {
            factory,
            wanted,
            is_wanted: false,
            found: None,
        }
    }

    /// Sets the group and version of the next rows.
    pub fn group_version(&mut self, group: &str, version: &str) {
        self.is_wanted = group == self.wanted.group && version == self.wanted.version;
    }

    /// Adds a row: a resource, and the function that creates its informer.
    pub fn row<I: HasGeneric>(
        &mut self,
        resource: &str,
        make: impl FnOnce(&SharedInformerFactory) -> I,
    ) {
        if self.is_wanted && resource == self.wanted.resource {
            self.found = Some(make(self.factory).generic().clone());
        }
    }

    /// Ends the search, and returns its result.
    #[must_use]
    pub fn found(self) -> Option<GenericInformer> {
        self.found
    }
}
