//! Shards: each of several replicas of a controller caches and reconciles a part of the objects.
//!
//! The hashes of objects are cut into *slices*. Each slice is a `Lease`, which names the replica that
//! owns the slice; each replica renews one `Lease` of its own. When replicas come and go, the fewest
//! slices move, so that the shares differ by at most one. A [graceful end](Shards::leave) hands the
//! slices over at once; those of a killed replica are taken after the lease duration.
//!
//! ```text
//! Leases ◄── list, write ── ownership ──► board ──► Controller: which keys are reconciled
//!                               └───────► cached slices ──► informers: which objects are listed and watched
//! ```
//!
//! # What is promised
//!
//! A slice has at most one owner at a time, under the conditions of [leader
//! election](crate::leader_election): the rates of two clocks differ by a factor of less than lease
//! duration / renew deadline, and only replicas write the leases. Lost, late and repeated requests do
//! not change that, nor does a process that is suspended. A request of `reconcile` that was sent is not
//! undone, and a process that was suspended may send one more: see [`Shards::fence`].
//!
//! The guide `docs/scaling.md` tells when one process is enough, and how to deploy several.
//!
//! # Examples
//!
//! ```
//! # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
//! use informer::shards::{ShardBy, Shards};
//! use informer::{Controller, SharedInformerFactory};
//! # use std::sync::Arc;
//! # use informer::Action;
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # type Context = ();
//! # async fn reconcile(_: Arc<ConfigMap>, _: Arc<Context>) -> Result<Action, kube::Error> { Ok(Action::Done) }
//! # async fn doc(client: kube::Client, context: Arc<Context>) -> Result<(), Box<dyn std::error::Error>> {
//! let shards = Shards::builder(client.clone(), "map-controller")
//!     .namespace("operators")
//!     .by(ShardBy::Namespace)
//!     .identity(std::env::var("POD_NAME")?)
//!     .join()
//!     .await?;
//! let factory = SharedInformerFactory::builder(client).shards(&shards).build()?;
//! let config_maps = factory.informer::<ConfigMap>();
//! factory.start()?;
//! let ended = Controller::new("configmaps", &config_maps)
//!     .shards(&shards)
//!     .shutdown_on(informer::shutdown_signal())
//!     .run(context, reconcile)
//!     .await;
//! shards.leave().await; // other replicas continue at once
//! ended?;
//! # Ok(())
//! # }
//! ```

mod board;
mod builder;
mod cached_slices;
mod error;
mod gate;
mod handle;
mod names;
mod ownership;
mod plan;
mod run;
mod shared;
mod slices;
mod source;
mod status;

pub use self::builder::ShardsBuilder;
pub use self::error::ShardsError;
pub(crate) use self::gate::ShardGate;
pub use self::handle::Shards;
pub use self::slices::ShardBy;
#[cfg(test)]
pub(crate) use self::slices::hash;
pub use self::status::ShardsStatus;

#[cfg(test)]
mod tests;
