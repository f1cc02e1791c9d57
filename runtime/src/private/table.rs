//! The table from names of resources to informers, which generated code fills in.

use std::ops::Deref;

use crate::factory::{DiscoverError, GenericInformer, SharedInformerFactory};
use crate::object::{GroupVersionResource, Object, ResourceInfo};
use crate::shared_informer::SharedInformer;

/// A search through all kinds of a generated module.
///
/// The rows are calls, not data: an array would have to be `static`, and so would compile the
/// informer of every kind into programs that never ask by name.
#[derive(Debug)]
pub struct ResourceTable<'a> {
    factory: &'a SharedInformerFactory,
    wanted: &'a GroupVersionResource,
    found: Option<GenericInformer>,
}

/// The informer of a resource that `typed` finds, or of its metadata.
#[must_use]
pub fn or_metadata(
    factory: &SharedInformerFactory,
    resource: &ResourceInfo,
    typed: impl FnOnce(&SharedInformerFactory, &GroupVersionResource) -> Option<GenericInformer>,
) -> GenericInformer {
    let metadata = || factory.metadata(resource.clone()).into();
    typed(factory, &resource.gvr()).unwrap_or_else(metadata)
}

/// The same, of a resource that the server is asked for.
///
/// # Errors
///
/// The server does not serve the resource, does not let it be watched, or cannot be asked.
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
            found: None,
        }
    }

    /// Adds a row: a resource, and what makes its informer.
    pub fn row<K: Object, W: Deref<Target = SharedInformer<K>>>(
        &mut self,
        group: &str,
        version: &str,
        resource: &str,
        make: impl FnOnce(&SharedInformerFactory) -> W,
    ) {
        let GroupVersionResource {
            group: wanted_group,
            version: wanted_version,
            resource: wanted,
        } = self.wanted;
        if resource == wanted && version == wanted_version && group == wanted_group {
            self.found = Some(make(self.factory).clone().into());
        }
    }

    /// Ends the search.
    #[must_use]
    pub fn found(self) -> Option<GenericInformer> {
        self.found
    }
}
