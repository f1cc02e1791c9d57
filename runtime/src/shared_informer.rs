//! [`SharedInformer`]: one list and one watch, shared by all consumers of a resource.
//!
//! ```text
//! ListerWatcher ─► Reflector ─► DeltaFifo ─► Controller ─► Indexer ◄─ Lister, Index, Snapshot
//!                                                      └─► Processor ─► handlers, streams
//! ```
//!
//! # Examples
//!
//! This example creates an informer without a factory. Most programs let a
//! [`SharedInformerFactory`](crate::SharedInformerFactory) create and run their informers.
//!
//! ```
//! # use informer_runtime::{ResourceInfo, SharedInformer};
//! # use informer_runtime::source::{ScriptedListerWatcher, ListerWatcher};
//! # use k8s_openapi::api::core::v1::Pod;
//! # use tokio_util::sync::CancellationToken;
//! # async fn doc(source: impl ListerWatcher) -> Result<(), Box<dyn std::error::Error>> {
//! let pods = SharedInformer::<Pod>::builder(source).build()?;
//! let cancel = CancellationToken::new();
//! let mut tasks = tokio::task::JoinSet::new();
//! tasks.spawn(pods.run(cancel.clone()));
//! pods.wait_for_sync().await?;
//! println!("{} pods", pods.lister().len());
//!
//! cancel.cancel();
//! while let Some(ended) = tasks.join_next().await {
//!     ended??;
//! }
//! # Ok(())
//! # }
//! ```

mod builder;
mod config;
pub(crate) mod controller;
mod error;
mod fetch;
mod generic_informer;
mod life;
mod options;
mod read_your_writes;
mod run;
mod shared_informer;
#[cfg(test)]
mod tests;

pub use self::builder::SharedInformerBuilder;
pub use self::config::InformerConfig;
pub(crate) use self::config::{informer_settings, request_settings, setters};
pub use self::controller::{StoreBatch, WriteThroughStore};
pub use self::error::{ConfigError, RunError, SyncError};
pub use self::generic_informer::GenericInformer;
pub(crate) use self::generic_informer::Parts;
pub use self::options::InformerOptions;
pub use self::shared_informer::SharedInformer;
