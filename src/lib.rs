//! Typed, shared, indexed caches of Kubernetes API objects.
//!
//! A controller makes one factory, asks it for an informer of each type that it reads, and starts
//! it: every resource is then listed and watched once per process, however many consumers it has.
//! Reads go to a [`Lister`], which answers from memory; changes go to event handlers, or as keys
//! into a [`WorkQueue`].
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
//! This is what `client-go/tools/cache`, `informer-gen` and `lister-gen` are to Go.
//!
//! # Where the informer of a type comes from
//!
//! | the type is | write |
//! |---|---|
//! | built into Kubernetes | `factory.apps().v1().deployments()`, from [`k8s`] |
//! | a custom resource of yours | [`#[derive(Informer)]`](derive@Informer), then `factory.foos()` |
//! | a custom resource of others, or a crate of types | [`include_informers!`], with `informer-gen` in `build.rs` |
//! | any other [`kube::Resource`] | [`factory.informer::<T>()`](SharedInformerFactory::informer) |
//! | known at run time only | [`factory.discover(..)`](SharedInformerFactory::discover), then [`dynamic`](SharedInformerFactory::dynamic) or [`metadata`](SharedInformerFactory::metadata) |
//!
//! # Where to look
//!
//! The root has what most controllers name, in the order in which they need it. The rest is in
//! modules:
//!
//! | module | for |
//! |---|---|
//! | [`factory`], [`handler`], [`index`], [`lister`], [`selector`], [`status`] | the types around those of the root: options, errors, statistics |
//! | [`storage`] | how objects are held: decoded ([`Typed`]), compressed ([`Packed`]), cut or transformed |
//! | [`workqueue`] | rate limits, priorities and metrics of queues |
//! | [`metrics`] | counters of informers, and a collector for Prometheus |
//! | [`cache`] | one reader over many types and several namespaces, as controller-runtime has it |
//! | [`consistency`] | reads after one's own writes; the comparison of a cache with its server |
//! | [`source`] | other servers than `kube::Client` reaches; timeouts, encodings and backoff |
//! | [`tools`] | lists, watches and conditions without a cache |
//! | `testing` | scripted servers for tests of what reads a cache (feature `test-util`) |
//! | [`advanced`] | the parts of an informer, each by itself |
//!
//! [`kube::Resource`]: https://docs.rs/kube/latest/kube/trait.Resource.html
//!
//! # The way of an object
//!
//! ```text
//!  API server
//!     │  bytes
//!     ▼
//!  wire        frames → one raw object per item or event, its header read, managedFields cut
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
//!   `k8s-openapi`, this one enables no Kubernetes version: your program does, as in
//!   `k8s-openapi = { version = "0.29", features = ["latest"] }`.
//! - `packed` (default): [`Packed`], objects held compressed. It brings zstd, which is C code.
//! - `k8s-beta`, `k8s-alpha`: those in beta and in alpha versions too.
//! - `prometheus`: `metrics::Collector`, which shows informers and queues in a registry of `prometheus-client`.
//! - `test-util`: the module `testing`, for tests without a server.
//! - `kube-runtime`: the module `kube_runtime`, by which controllers of `kube::runtime` share an
//!   informer's watch and objects.

// Generated code says `::informer`, here as everywhere.
#[cfg(feature = "k8s")]
extern crate self as informer;

#[doc(hidden)]
pub use informer_runtime::private as __private;

mod modules;

// Make a factory, and say what is cached.
#[cfg(feature = "derive")]
#[doc(inline)]
pub use informer_derive::{IndexValue, Informer};
#[doc(inline)]
pub use informer_runtime::{
    GenericInformer, GroupVersionResource, InformerOptions, MakeInformers, Object, ResourceInfo,
    Scope, SharedInformer, SharedInformerFactory, SharedInformerFactoryBuilder, connect,
};

// Read.
#[doc(inline)]
pub use informer_runtime::{
    Entry, FieldSelector, Index, Lister, NamespaceLister, ObjectKey, ResourceVersion, Selector,
    Snapshot, Uid,
};

// Be told.
#[doc(inline)]
pub use informer_runtime::{
    Added, Deleted, Event, EventHandler, EventHandlerFuncs, EventStream, HandlerOptions,
    HandlerRegistration, InformerState, InformerStatus, Origin, Updated, WhenFull, async_handler,
    filtered,
};

// Queue.
#[doc(inline)]
pub use informer_runtime::{Action, AddOptions, WorkQueue, enqueue_into, enqueue_owner};

// Reconcile.
#[doc(inline)]
pub use informer_runtime::{
    FinalizerError, FinalizerStep, Workers, finalizer, leader_election, shutdown_signal,
};

// Tune.
#[cfg(feature = "packed")]
#[doc(inline)]
pub use informer_runtime::Packed;
#[doc(inline)]
pub use informer_runtime::{DropFields, InformerConfig, Storage, Transform, Typed, WatchListMode};

// What can go wrong.
#[doc(inline)]
pub use informer_runtime::factory::{DiscoverError, StartError};
#[doc(inline)]
pub use informer_runtime::{
    CacheSyncError, ConfigError, GetError, ObjectError, ReflectorError, SyncError,
};

#[cfg(feature = "test-util")]
#[doc(inline)]
pub use self::modules::testing;
#[doc(inline)]
pub use self::modules::{
    advanced, cache, consistency, factory, handler, index, lister, metrics, selector, source,
    status, storage, tools, workqueue,
};
#[cfg(feature = "kube-runtime")]
#[doc(inline)]
pub use informer_runtime::kube_runtime;

#[cfg(feature = "k8s")]
pub mod k8s;

/// Takes in what `informer-gen` generated in `build.rs`.
///
/// It gives the module where it stands the trait `SharedInformerFactoryExt`, with a method of the
/// factory for each group, and a module for each group: give it a module of its own.
///
/// ```toml
/// # Cargo.toml
/// [build-dependencies]
/// informer-gen = { version = "0.1", default-features = false }
/// ```
///
/// ```text
/// // build.rs
/// fn main() -> Result<(), informer_gen::Error> {
///     informer_gen::Config::new()
///         .crd_manifests("crds/*.yaml") // the kind `Foo` is `informers::example::v1::foo::Foo`
///         .index("example.com/v1/Foo", "spec.host")
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
///     //! What `build.rs` has written.
///     informer::include_informers!();
/// }
/// use informers::SharedInformerFactoryExt as _;
///
/// let foos = factory.example().v1().foos();
/// let found = foos.lister().by_host("example.com");
/// ```
///
/// With another [`Config::file_name`] than the default, name it: `include_informers!("pods.rs")`.
/// A package without a `build.rs` has no `OUT_DIR`, and rustc says so. The example `generated` is a
/// whole package.
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
#[doc = include_str!("../docs/derive.md")]
struct Derive;
