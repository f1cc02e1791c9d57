//! Typed, shared, indexed caches of Kubernetes API objects.
//!
//! What `client-go/tools/cache`, `informer-gen` and `lister-gen` are to Go, for Rust: a controller
//! asks one [`SharedInformerFactory`] for typed informers and listers, and every resource is listed
//! and watched once per process, however many consumers it has.
//!
//! There are three ways in, over one runtime:
//!
//! 1. **derive**: [`#[derive(Informer)]`](derive@Informer) on a custom resource emits its
//!    `FooInformer`, `FooLister` and `factory.foos()`;
//! 2. **generate**: `informer-gen` writes the same for types that cannot be derived, in `build.rs`
//!    ([`include_informers!`]) or on the command line; [`k8s`] is its output for the built-in API;
//! 3. **by hand**: [`SharedInformerFactory::informer`] works for every [`kube::Resource`], and
//!    [`SharedInformerFactory::dynamic`] for resources without a Rust type.
//!
//! [`kube::Resource`]: https://docs.rs/kube/latest/kube/trait.Resource.html
//!
//! # Examples
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
//! - `kube-runtime`: the module `kube_runtime`, by which controllers of `kube::runtime` share an
//!   informer's watch and objects.
//! - `k8s-beta`, `k8s-alpha`: those in beta and in alpha versions too.

// Generated code says `::informer`, here as everywhere.
#[cfg(feature = "k8s")]
extern crate self as informer;

#[cfg(feature = "derive")]
#[doc(inline)]
pub use informer_derive::Informer;
#[doc(hidden)]
pub use informer_runtime::private as __private;
#[doc(inline)]
pub use informer_runtime::*;

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
///         .crd_manifests("crds/*.yaml", "crate::api") // the kind `Foo` is `crate::api::Foo`
///         .index("example.com/v1", "Foo", "spec.host")
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
