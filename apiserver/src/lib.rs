//! An in-process Kubernetes API server for tests, examples and demos.
//!
//! The embedded API server speaks real HTTP on a loopback port. It serves every built-in kind of
//! Kubernetes 1.33 to 1.37 and every kind whose `CustomResourceDefinition` is created. It
//! implements what the tests of caching clients need: consistent paged lists, watches that resume,
//! bookmarks, streaming lists, selectors, conflicts, finalizers and discovery. Its [`Control`]
//! injects faults.
//!
//! # Architecture
//!
//! ```text
//! server                   accepts and closes connections
//!   http                   one request: routing, content negotiation, response, encodings
//!     control              the interface for tests
//!       shared             what all connections share: the state, under one lock
//!         auth             tokens, RBAC, reviews
//!         kubectl          tables
//!         fault            injected faults, and matchers of the requests that they affect
//!           api            get, list, watch, create, update, patch, apply, delete, ..
//!             registry     kinds, definitions, schemas, discovery, OpenAPI
//!               store      objects by key under one revision, and a bounded event log
//! ```
//!
//! Each layer is a folder. A layer uses only the layers below it.
//!
//! All resources share one revision, as in etcd. Every change increments the revision and appends
//! one event to a bounded log. A watcher holds a position in that log and has no queue of its own.
//! The server reconstructs an older state from the current state by undoing the later events.
//!
//! # Limitations
//!
//! - Of built-in kinds, values of wrong types are rejected, and only `ConfigMap`s, Secrets and
//!   Leases are validated beyond that. Schemas of custom resources are enforced, but not their
//!   rules in CEL.
//! - Versions of a resource share their objects and differ in `apiVersion` only. The one conversion
//!   is that of events, which two groups serve.
//! - CBOR and YAML answer 406.
//! - The subresources are `status` and `scale`.
//! - OpenAPI documents are of version 3 and JSON only.
//! - Protobuf covers built-in kinds, and the metadata of all kinds. It does not cover discovery,
//!   nor alpha kinds that Kubernetes has dropped. An object of [`Control::put_raw`] that protobuf
//!   cannot represent is sent with its metadata and fails to decode.
//! - Admission plugins do not run. Three controllers are built in: definitions become established,
//!   the contents of a deleted namespace are deleted, and owner references are followed. Pods do
//!   not wait for a kubelet.
//! - Without [tokens](Builder::token) every request is authorized. With tokens, roles and bindings
//!   decide, without escalation checks and aggregation.
//! - A resourceVersion from the future fails at once; the real server waits three seconds for it.
//!
//! `docs/apiserver.md` in the repository is a guide to testing controllers with this server.
//! `docs/apiserver-reference.md` lists every known difference from the real server, with its
//! reason. A test compares both servers request by request.

mod api;
mod auth;
mod clock;
mod config;
mod control;
mod document;
#[cfg(feature = "envtest")]
pub mod envtest;
mod fault;
mod http;
mod kubectl;
mod names;
mod registry;
mod server;
mod shared;
mod status;
mod store;
mod typed;
mod url;

pub use control::Control;
pub use fault::requests::{Matcher, RecordedRequest};
pub use fault::{Fault, FaultRun, FaultScript, ParseFaultError};
pub use registry::target::Verb;
pub use server::builder::Builder;
pub use server::{ApiServer, StartError};
pub use status::ApiError;

/// Compiles and runs the examples of the guide.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../docs/apiserver.md")]
struct Guide;
