//! `kube::runtime`'s controllers over informers: they share one watch per type.
//!
//! A [`kube::runtime::Controller`] that is made from an `Api` lists, watches and caches by itself,
//! and so does each of its `owns` and `watches`: ten controllers that look at pods are ten watches
//! and ten copies of all pods. Made from an informer, they share both.
//!
//! ```text
//!                       ┌─► watcher_events ─► Store ─► Controller ─► reconciler
//! one LIST ─► informer ─┼─► watcher_events ─► Store ─► Controller ─► reconciler
//! one WATCH             └─► Lister, Index ◄──────────────────────────── reads ┘
//! ```
//!
//! - [`SharedInformer::controller_source`] is what `Controller::for_stream` asks for: a stream of
//!   changed objects, and a `Store` that holds each of them before the stream tells of it.
//! - [`SharedInformer::watcher_events`] is what `watcher()` would give: for `Controller::owns_stream`
//!   and `watches_stream`, for `reflector()`, and for whatever else eats such a stream.
//!
//! `Controller::for_stream` and its like are behind kube's feature `unstable-runtime`, which the
//! program that calls them enables. Nothing here needs it: [`applier`], which a `Controller` is
//! made of, is stable and takes the same two parts.
//!
//! [`applier`]: kube::runtime::applier
//!
//! # What differs from a watcher
//!
//! - `Init` comes once. What a later list finds comes as `Apply` and `Delete`.
//! - A resync period of the informer, or of the [`HandlerOptions`], gives an `Apply` for each
//!   object: its controllers reconcile everything.
//! - Failures of list and watch are the informer's: it retries, and says so in its
//!   [`status`](crate::SharedInformer::status). The stream gives no errors for them, and waits.
//! - A consumer that is slower than the server loses nothing but intermediate versions, and delays
//!   nobody else: that is [`WhenFull::Coalesce`].
//!
//! # What it costs
//!
//! kube's `Store<K>` can only be filled with objects of its own. With `K` itself each object is
//! copied once per stream; with [`SharedObject<K>`], which is an `Arc` to the cached object and
//! derefs to it, none is, and a `Store` costs its map.
//!
//! # Examples
//!
//! ```
//! # use std::sync::Arc;
//! # use futures::StreamExt as _;
//! # use informer_runtime::{HandlerOptions, SharedInformerFactory};
//! # use informer_runtime::kube_runtime::SharedObject;
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
//! [`SharedInformer::controller_source`]: crate::SharedInformer::controller_source
//! [`SharedInformer::watcher_events`]: crate::SharedInformer::watcher_events
//! [`SharedInformer`]: crate::SharedInformer
//! [`HandlerOptions`]: crate::HandlerOptions
//! [`WhenFull::Coalesce`]: crate::WhenFull::Coalesce

mod events;
mod informer;
mod machine;
mod object;
#[cfg(test)]
mod tests;

pub use self::events::WatcherEvents;
pub use self::object::{FromCache, SharedObject};
