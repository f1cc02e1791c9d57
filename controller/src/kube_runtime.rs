//! Runs the controllers of `kube::runtime` on informers, so that they share one watch per type.
//!
//! A [`kube::runtime::Controller`] that is made from an `Api` lists, watches and caches by itself,
//! and so does each of its `owns` and `watches`: ten controllers of pods hold ten watches and ten
//! copies of all pods. Controllers that are made from an informer share one watch and one copy.
//!
//! ```text
//!                       ┌─► watcher_events ─► Store ─► Controller ─► reconciler
//! one LIST ─► informer ─┼─► watcher_events ─► Store ─► Controller ─► reconciler
//! one WATCH             └─► Lister, Index ◄──────────────────────────── reads ┘
//! ```
//!
//! - [`KubeRuntimeExt::controller_source`] returns the arguments of `Controller::for_stream`: a
//!   stream of changed objects, and a `Store` that holds each object before the stream yields it.
//! - [`KubeRuntimeExt::watcher_events`] returns a stream with the events of `watcher()`: for
//!   `Controller::owns_stream` and `watches_stream`, for `reflector()`, and for other consumers of
//!   such a stream.
//!
//! `Controller::for_stream` and related methods require kube's feature `unstable-runtime`, which
//! the program that calls them enables. This module does not need the feature: [`applier`], on
//! which a `Controller` is built, is stable and takes the same two arguments.
//!
//! [`applier`]: kube::runtime::applier
//!
//! # Differences from a watcher
//!
//! - `Init` occurs once. The changes that a later list finds are `Apply` and `Delete` events.
//! - A resync period of the informer, or of the [`HandlerOptions`], yields an `Apply` for each
//!   object, so that its controllers reconcile all objects.
//! - The informer handles failures of list and watch: it retries, and reports them in its
//!   [`status`](informer_runtime::GenericInformer::status). The stream yields no errors for them, and waits.
//! - A consumer that is slower than the server misses only intermediate versions, and does not
//!   delay other consumers: see [`WhenFull::Coalesce`].
//!
//! # Cost
//!
//! kube's `Store<K>` holds owned objects only. With `K` itself, each object is copied once per
//! stream. With [`SharedObject<K>`], an `Arc` to the cached object that derefs to the object, no
//! object is copied, and a `Store` costs only its map.
//!
//! # Examples
//!
//! ```
//! # use std::sync::Arc;
//! # use futures::StreamExt as _;
//! # use informer_runtime::{HandlerOptions, SharedInformerFactory};
//! # use informer_controller::kube_runtime::{KubeRuntimeExt as _, SharedObject};
//! # use k8s_openapi::api::core::v1::Pod;
//! # use kube::runtime::applier;
//! # use kube::runtime::controller::{Action, Config, trigger_self};
//! async fn reconcile(pod: Arc<SharedObject<Pod>>, _: Arc<()>) -> Result<Action, kube::Error> {
//!     println!("{:?}", pod.metadata.name);
//!     Ok(Action::await_change())
//! }
//!
//! # async fn doc(factory: SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
//! let pods = factory.informer::<Pod>();
//! let (trigger, reader) = pods.controller_source(HandlerOptions::new().name("by-name"))?;
//! // With kube's `unstable-runtime`: Controller::for_stream(trigger, reader).run(..)
//! let reconciled = applier(
//!     |pod, context| Box::pin(reconcile(pod, context)),
//!     |_pod, _error, _context| Action::await_change(),
//!     Arc::new(()),
//!     reader,
//!     trigger_self(trigger, ()),
//!     Config::default(),
//! );
//! reconciled.for_each(|_| std::future::ready(())).await;
//! # Ok(())
//! # }
//! ```
//!
//! [`SharedInformer`]: informer_runtime::SharedInformer
//! [`HandlerOptions`]: informer_runtime::HandlerOptions
//! [`WhenFull::Coalesce`]: informer_runtime::WhenFull::Coalesce

mod events;
mod informer;
mod machine;
mod object;
#[cfg(test)]
mod tests;

pub use self::events::WatcherEvents;
pub use self::informer::KubeRuntimeExt;
pub use self::object::{FromCache, SharedObject};
