//! [`Cache`]: a reader of many types, over the informers of a factory.
//!
//! A [`Lister`](crate::Lister) reads the cache of an informer that the program has created, started
//! and waited for. A [`Cache`] does all three itself: the first read of a type starts its informer
//! and waits, up to a timeout, until the informer has synced. If the informer fails or the timeout
//! expires, the read returns the cause as an error. With [`MissingInformer::Refuse`], a cache
//! rejects reads of types without an informer, so no read widens what a program watches.
//!
//! Each type can be read as its typed objects, as dynamic objects and as metadata, side by side:
//! see [`Cache::of_resource`]. Each of these forms has its own settings. controller-runtime's
//! counterpart is `cache.Cache`.
//!
//! # When to use it
//!
//! A controller knows its types when it is compiled: it takes listers from the factory, whose reads
//! are synchronous, cannot fail once the caches have synced, and include those by index and in a
//! snapshot. A `Cache` is for code whose types or namespaces come from its input, such as a policy
//! engine, an admission webhook or a command for several kinds, and for a port from
//! controller-runtime: no informer is declared beforehand, and a read of a missing right is an error
//! at the place of the read. Its reads are `async`, since each of them may have to wait for a first list.
//! Both read the same informers, so a program may use them side by side.
//!
//! # Examples
//!
//! ```
//! # use informer_runtime::cache::{Cache, CacheListOptions, MissingInformer};
//! # use informer_runtime::{InformerOptions, ObjectKey, SharedInformerFactory};
//! # use k8s_openapi::api::core::v1::{Node, Pod, Secret};
//! # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = SharedInformerFactory::builder(client).namespaces(["blue", "green"]).build()?;
//! let secrets = InformerOptions::new().label_selector("app=web".parse()?);
//! let cache = Cache::builder(factory)
//!     .with_type::<Secret>(secrets)
//!     .build()?;
//! cache.of::<Pod>().add_index("spec.nodeName", |pod: &Pod| {
//!     pod.spec.as_ref().and_then(|spec| spec.node_name.clone())
//! })?;
//! cache.factory().start()?;
//!
//! let node = cache.get::<Node>(&ObjectKey::cluster("n1")).await?;
//! let green = CacheListOptions::new().namespace("green").selector("tier=db".parse()?);
//! let databases = cache.list::<Pod>(&green).await?;
//! let on_n1 = cache.of::<Pod>().list_by_index("spec.nodeName", "n1", &CacheListOptions::new()).await?;
//! println!("{:?}: {} of {} pods", node, databases.len(), on_n1.len());
//!
//! cache.of::<Pod>().remove().await;
//! cache.factory().shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Limitations
//!
//! - Reads come from the cache and may lag behind the server, as with every informer.
//! - If the API server forbids one of several namespaces, only reads of the others succeed: those of
//!   all namespaces fail, because their result would be incomplete.

mod cache;
mod error;
mod options;
mod reader;
mod state;
#[cfg(test)]
mod tests;

pub use self::cache::{Cache, CacheBuilder};
pub use self::error::{CacheBuildError, CacheError};
pub use self::options::{CacheListOptions, MissingInformer};
pub use self::reader::CacheReader;
