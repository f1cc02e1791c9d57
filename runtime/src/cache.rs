//! [`Cache`]: a reader of many types, over the informers of a factory.
//!
//! A [`Lister`](crate::Lister) reads the cache of an informer that somebody made, started and waited
//! for. A [`Cache`] does that itself: the first read of a type starts its informer and waits, within
//! a bound, until it has synced; what it cannot do it says, with the cause. Or it is told to
//! [refuse](MissingInformer::Refuse) reads of types for which there is no informer, so that no read
//! widens what a program watches.
//!
//! Each type can be read in full, as a [dynamic](Cache::dynamic) object and as
//! [metadata](Cache::metadata), side by side; each with settings of its own, and restricted to
//! several namespaces, which are then one informer each. controller-runtime's counterpart is
//! `cache.Cache`.
//!
//! # Examples
//!
//! ```
//! # use informer_runtime::cache::{Cache, CacheListOptions, MissingInformer, TypeOptions};
//! # use informer_runtime::{InformerOptions, ObjectKey, SharedInformerFactory};
//! # use k8s_openapi::api::core::v1::{Node, Pod, Secret};
//! # async fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
//! let factory = SharedInformerFactory::builder(client).build()?;
//! let secrets = InformerOptions::new().label_selector("app=web".parse()?);
//! let cache = Cache::builder(factory)
//!     .with_type::<Pod>(TypeOptions::new().namespaces(["blue", "green"]))
//!     .with_type::<Secret>(TypeOptions::new().informer(secrets))
//!     .build()?;
//! cache.of::<Pod>().add_index("spec.nodeName", |pod: &Pod| {
//!     pod.spec.as_ref().and_then(|spec| spec.node_name.clone())
//! })?;
//! cache.start()?;
//!
//! let node = cache.get::<Node>(&ObjectKey::cluster("n1")).await?;
//! let green = CacheListOptions::new().namespace("green").selector("tier=db".parse()?);
//! let databases = cache.list::<Pod>(&green).await?;
//! let on_node = cache.list_by_index::<Pod>("spec.nodeName", "n1", &CacheListOptions::new()).await?;
//! println!("{:?}: {} of {} pods", node, databases.len(), on_node.len());
//!
//! cache.remove::<Pod>().await;
//! cache.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! # Where it does not fit
//!
//! - A list over several namespaces is of one moment in each of them, not in all.
//! - Reads are of the cache and may be behind the server, as every informer's are.

mod builder;
mod cache;
mod error;
mod lister;
mod namespaces;
mod options;
mod reader;
mod shared;
mod state;

pub use self::builder::CacheBuilder;
pub use self::cache::Cache;
pub use self::error::{CacheBuildError, CacheError};
pub use self::lister::MultiNamespaceLister;
pub use self::namespaces::MultiNamespaceInformer;
pub use self::options::{CacheListOptions, MissingInformer, TypeOptions};
pub use self::reader::CacheReader;
