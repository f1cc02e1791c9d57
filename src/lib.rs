//! Typed, shared, indexed caches of Kubernetes API objects.
//!
//! A controller creates one factory, requests an informer for each type that it reads, and starts
//! the factory. Each resource is then listed and watched once per process, for any number of
//! consumers. Reads go to a [`Lister`], which answers from memory. Changes go to event handlers, or
//! to a [`Controller`], which reconciles the changed objects.
//!
//! ```no_run
//! use informer::k8s::SharedInformerFactoryExt as _;
//! use informer::{Event, Selector, SharedInformerFactory};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = informer::connect(kube::Config::infer().await?)?;
//! let factory = SharedInformerFactory::builder(client).build()?;
//!
//! let deployments = factory.apps().v1().deployments();
//! deployments.add_event_handler(|event: Event<_>| println!("{} changed", event.key()))?;
//!
//! factory.start()?;
//! factory.wait_for_cache_sync().await?;
//!
//! let web: Selector = "app=web".parse()?;
//! for deployment in deployments.lister().namespace("default").list(&web) {
//!     println!("{:?}", deployment.metadata.name);
//! }
//! factory.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! The counterparts in Go are `client-go/tools/cache`, `informer-gen` and `lister-gen`.
//!
//! # How to get the informer of a type
//!
//! | type | code |
//! |---|---|
//! | built into Kubernetes | `factory.apps().v1().deployments()`, from [`k8s`] |
//! | your own custom resource | [`#[derive(Informer)]`](derive@Informer), then `factory.foos()` |
//! | a custom resource of others, or a type of another crate | [`include_informers!`], with `informer-gen` in `build.rs` |
//! | any other [`kube::Resource`] | [`factory.informer::<T>()`](SharedInformerFactory::informer) |
//! | known at run time only | [`factory.discover(..)`](SharedInformerFactory::discover), then [`dynamic`](SharedInformerFactory::dynamic) or [`metadata`](SharedInformerFactory::metadata) |
//!
//! # Modules
//!
//! The root contains the names that most controllers need. The other names are in modules:
//!
//! | module | content |
//! |---|---|
//! | [`factory`], [`handler`], [`index`], [`lister`], [`selector`], [`status`] | types that complete those of the root: events, options, errors, statistics |
//! | [`storage`] | forms of cached objects: decoded ([`Typed`]), compressed ([`Packed`]), or under a memory budget ([`Tiered`]); filters, transforms and cut fields |
//! | [`relations`] | owners, references and selectors between objects, and the keys that their changes enqueue |
//! | [`controller`] | handles, states and errors of a [`Controller`] |
//! | [`leader_election`] | one of several processes does the work |
//! | [`shards`] | each of several processes does a part of the work |
//! | [`finalizer`](mod@finalizer) | steps and errors of [`finalizer()`](fn@finalizer) |
//! | [`session`] | writes that a [`Session`] notes, and reads that show them |
//! | [`workqueue`] | handlers that fill queues; rate limits, priorities and metrics |
//! | [`metrics`] | counters of informers, and a collector for Prometheus |
//! | [`cache`] | one reader over many types and several namespaces, as in controller-runtime |
//! | [`source`] | lists and watches from `kube::Client` or your own source; timeouts, encodings and backoff |
//! | `debug` | live page, probes and metrics as an HTTP service (feature `debug`) |
//! | `testing` | scripted servers for tests (feature `test-util`) |
//! | [`advanced`] | the parts of an informer, for separate use |
//!
//! [`kube::Resource`]: https://docs.rs/kube/latest/kube/trait.Resource.html
//!
//! # Data flow
//!
//! ```text
//!  API server
//!     │  bytes
//!     ▼
//!  wire        frames → one raw object per item or event; reads headers, cuts managedFields
//!     ▼
//!  source      a ListerWatcher: kube::Client, a script (tests), or your own
//!     ▼
//!  reflector   list, watch, relist, bookmarks, backoff
//!     ▼
//!  DeltaFifo   deltas, ordered and bounded
//!     ▼
//!  controller  writes the indexer, then notifies
//!     ├──► indexer    objects and indices, O(1) snapshots   ◄── listers
//!     └──► processor  one bounded mailbox per handler       ──► handlers, streams ──► WorkQueue
//! ```
//!
//! # Features
//!
//! - `derive` (default): the derive macro.
//! - `k8s` (default): informers of the built-in kinds in stable versions. Like every library over
//!   `k8s-openapi`, this crate enables no Kubernetes version: your program does, as in
//!   `k8s-openapi = { version = "0.29", features = ["latest"] }`.
//! - `packed` (default): [`Packed`], the compressed storage. Depends on zstd, which is C code.
//! - `k8s-beta`, `k8s-alpha`: informers of the built-in kinds in beta and alpha versions.
//! - `debug`: the module `debug`, a live page with the reasons of each reconcile, probes and metrics.
//! - `prometheus`: `metrics::Collector`, which exports informers and queues to a registry of
//!   `prometheus-client`.
//! - `test-util`: the module `testing`, for tests without an API server.
//! - `kube-runtime`: the module `kube_runtime`, through which controllers of `kube::runtime` share
//!   an informer's watch and objects.

// Generated code refers to this crate as `::informer`, here as in other crates.
#[cfg(feature = "k8s")]
extern crate self as informer;

#[doc(hidden)]
pub use informer_controller::private as __private;

mod modules;

// Create a factory, and select what is cached.
#[cfg(feature = "derive")]
#[doc(inline)]
pub use informer_derive::{IndexValue, Informer};
#[doc(inline)]
pub use informer_runtime::{
    GenericInformer, GroupVersionResource, InformerOptions, MakeInformers, Object, ResourceInfo,
    Scope, SharedInformer, SharedInformerFactory, connect,
};

// Read.
#[doc(inline)]
pub use informer_runtime::{
    FieldSelector, Index, IntOrString, Lister, NamespaceLister, ObjectKey, ResourceVersion,
    Selector, Snapshot,
};

// Receive events.
#[doc(inline)]
pub use informer_runtime::{
    Event, EventHandler, EventHandlerFuncs, HandlerOptions, Origin, WhenFull, async_handler,
    filtered,
};

// Reconcile.
#[doc(inline)]
pub use informer_controller::{
    Action, Controller, Manager, Session, WorkQueue, finalizer, is_condition_true, leader_election,
    shards, shutdown_signal,
};

// Configure.
#[doc(inline)]
pub use informer_runtime::{InformerConfig, Storage, Transform, Typed, WatchListMode};
#[cfg(feature = "packed")]
#[doc(inline)]
pub use informer_runtime::{Packed, Tiered};

// Errors.
#[doc(inline)]
pub use informer_runtime::{ReflectorError, SyncError};

#[cfg(feature = "debug")]
#[doc(inline)]
pub use self::modules::debug;
#[cfg(feature = "test-util")]
#[doc(inline)]
pub use self::modules::testing;
#[doc(inline)]
pub use self::modules::{
    advanced, cache, controller, factory, handler, index, lister, metrics, predicate, relations,
    selector, session, source, status, storage, workqueue,
};
#[cfg(feature = "kube-runtime")]
#[doc(inline)]
pub use informer_controller::kube_runtime;

#[cfg(feature = "k8s")]
pub mod k8s;

/// Includes the code that `informer-gen` has generated in `build.rs`.
///
/// The code adds the trait `SharedInformerFactoryExt`, with a factory method for each API group,
/// and a module for each group. Call this macro in a module of its own.
///
/// ```toml
/// # Cargo.toml
/// [build-dependencies]
/// informer-gen = { version = "0.1", default-features = false }
/// ```
///
/// ```text
/// // build.rs
/// use informer_gen::{Config, Error, Types};
///
/// fn main() -> Result<(), Error> {
///     Config::new()
///         // The kind `Foo` is the type `informers::example::v1::foo::Foo`.
///         .crd_manifests("crds/*.yaml", Types::Generated)
///         .kind("example.com/v1/Foo", r#"index = "spec.host""#)
///         .visibility("pub(crate)") // in a program; a library leaves this out
///         .generate()?;
///     Ok(())
/// }
/// ```
///
/// ```text
/// // src/main.rs
/// mod api; // has the type `Foo`
/// mod informers {
///     //! Generated by `build.rs`.
///     informer::include_informers!();
/// }
/// use informers::SharedInformerFactoryExt as _;
///
/// let foos = factory.example().v1().foos();
/// let found = foos.lister().by_host("example.com");
/// ```
///
/// If [`Config::file_name`] is not the default, pass the name: `include_informers!("pods.rs")`. A
/// package without a `build.rs` has no `OUT_DIR`, and fails to compile. The example `generated` is
/// a complete package.
///
/// [`Config::file_name`]: https://docs.rs/informer-gen/latest/informer_gen/struct.Config.html#method.file_name
#[macro_export]
macro_rules! include_informers {
    () => {
        $crate::include_informers!("informers.rs");
    };
    ($file:literal) => {
        ::core::include!(::core::concat!(::core::env!("OUT_DIR"), "/", $file));
    };
}

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/declarations.md")]
struct Declarations;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/derive.md")]
struct Derive;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/relations.md")]
struct Relations;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/consistency.md")]
struct Consistency;

#[cfg(all(doctest, feature = "k8s", feature = "packed"))]
#[doc = include_str!("../docs/memory.md")]
struct Memory;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/production.md")]
struct Production;

#[cfg(all(doctest, feature = "debug"))]
#[doc = include_str!("../docs/operating.md")]
struct Operating;

#[cfg(all(doctest, feature = "derive", feature = "k8s"))]
#[doc = include_str!("../docs/scaling.md")]
struct Scaling;
