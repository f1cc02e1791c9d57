//! Generates typed informers and listers for Kubernetes API types, as Rust text.
//!
//! The counterpart of Go's `informer-gen` and `lister-gen`, with three kinds of input:
//!
//! - built-in kinds of `k8s-openapi`, from a table;
//! - `CustomResourceDefinition` manifests, with existing Rust types or types generated from the
//!   schema;
//! - Rust source with `#[derive(CustomResource)]`.
//!
//! Types with `#[derive(Informer)]` need no generator.
//!
//! ```text
//! config ─► input/{builtin, rust, crd} ─► ir ─► plan (declared, resolver) ─► emit ─► write
//!                         └─► types ─► ir
//! ```
//!
//! All steps up to `emit` precede the first write. A conflict is an [`Error`] that names both
//! parties, not code that rustc rejects.
//!
//! # In `build.rs`
//!
//! ```no_run
//! use informer_gen::{Config, Error, Types};
//!
//! fn main() -> Result<(), Error> {
//!     Config::new()
//!         .built_in("apps/v1", "Deployment")
//!         .crd_manifests("crds/*.yaml", Types::Generated) // or `Types::In("crate::api")`
//!         .kind("apps/v1/Deployment", r#"index(label = "app")"#)
//!         .generate()?; // writes `informers.rs` to OUT_DIR
//!     Ok(())
//! }
//! ```
//!
//! # On the command line
//!
//! The flags have the same options. `informer-gen check` fails if a checked-in file is out of date.
//!
//! ```text
//! informer-gen generate --built-in stable --file-per-group -o src/k8s.rs
//! ```
//!
//! # Generated code
//!
//! Each kind has an informer and a lister, which are accessed by group and version:
//! `factory.apps().v1().deployments()`. The code refers to the runtime crate
//! ([`Config::runtime_path`]), to `k8s-openapi` for built-in kinds, and to the user's types.
//! Generated types also refer to `kube`, `k8s-openapi`, `serde` and `serde_json`.
//!
//! rustfmt does not change generated code.

mod config;
mod declared;
mod emit;
mod error;
mod gvk;
mod input;
mod ir;
mod list;
mod paths;
mod plan;
mod resolver;
mod run;
mod suggest;
mod targets;
mod types;
mod write;

pub use config::{BuiltIns, Config, KindOf, Manifests, Pair, Types};
pub use error::Error;
pub use gvk::Scope;

pub use list::{ListedKind, Outcome};
pub use run::Rendered;
pub use write::{FileChange, FileDifference, Outputs};
