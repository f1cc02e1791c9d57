//! Generates typed informers and listers for Kubernetes API types, as Rust text.
//!
//! What `informer-gen` and `lister-gen` are to Go, for four kinds of input: the built-in kinds of
//! `k8s-openapi`, which come as a table; `CustomResourceDefinition` manifests and answers of an API
//! server to discovery, each kind mapped to the Rust type that holds its objects, which is written
//! from the schema of a manifest if there is none; and Rust source with `#[derive(CustomResource)]`. Types with `#[derive(Informer)]` need no generator.
//!
//! ```text
//! config ─► input/{builtin, rust, crd, discovery} ─► ir ─► plan (naming, index) ─► emit ─► write
//!                                    └─► types ─► ir
//! ```
//!
//! Everything up to `emit` is pure and happens before the first byte is written; a conflict is an
//! [`Error`] that names both parties, never text that rustc rejects.
//!
//! # In `build.rs`
//!
//! ```no_run
//! fn main() -> Result<(), informer_gen::Error> {
//!     informer_gen::Config::new()
//!         .built_in("apps/v1", "Deployment")
//!         .crd_manifests("crds/*.yaml") // types are written too; or `.types_in("crate::api")`
//!         .index("apps/v1/Deployment", "metadata.labels['app']")
//!         .generate()?; // writes `informers.rs` to OUT_DIR
//!     Ok(())
//! }
//! ```
//!
//! # On the command line
//!
//! The same options as flags; `informer-gen check` fails if a checked-in file is out of date.
//!
//! ```text
//! informer-gen generate --built-in stable --file-per-group -o src/k8s.rs
//! ```
//!
//! # What is written
//!
//! For each kind a newtype over the shared informer, one over its lister and, if it is namespaced,
//! one over the namespace lister: about 50 lines. They are reached by group and version:
//! `factory.apps().v1().deployments()`. The text names only the runtime crate
//! ([`Config::runtime_path`]), `k8s-openapi` for built-in kinds, and the user's types; or, for types
//! that are written, `kube`, `k8s-openapi`, `serde` and `serde_json`.
//!
//! rustfmt leaves what is generated as it is.

mod config;
mod emit;
mod error;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
mod index;
mod input;
mod ir;
mod list;
mod naming;
mod paths;
mod plan;
mod progress;
mod suggest;
mod types;
mod write;

#[cfg(feature = "config-file")]
pub use config::file::TEMPLATE;
pub use config::{BuiltIns, Config, IndexOf, Manifests, Pair};
pub use error::{Error, Location, OptionName, Suggestion};
pub use index::Index;
pub use ir::{Gvk, Scope};
pub use list::{Entry, Outcome};
pub use progress::Step;
pub use write::{Change, Difference, Outputs};
