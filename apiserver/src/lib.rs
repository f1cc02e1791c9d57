//! An in-process Kubernetes API server for tests, examples and demos.
//!
//! It speaks real HTTP on a loopback port, knows every built-in kind of Kubernetes 1.33 to 1.37 and
//! whatever `CustomResourceDefinitions` are created, and serves what clients with caches need to be
//! tested against: consistent paged lists, watches that resume, bookmarks, streaming lists,
//! selectors, conflicts, finalizers, discovery. Its [`Control`] makes things go wrong on purpose.
//!
//! # How it works
//!
//! ```text
//! server                   accepts and ends connections
//!   http                   one request: route, negotiate, answer; encodings
//!     control              looks in from the side, for tests
//!       shared             what all connections share: the state, under one lock
//!         auth             tokens, RBAC, reviews
//!         kubectl          tables
//!         fault            what goes wrong, and with which requests
//!           api            get, list, watch, create, update, patch, apply, delete, ..
//!             registry     kinds, definitions, schemas, discovery, OpenAPI
//!               store      objects by key under one revision, and what happened to them, bounded
//! ```
//!
//! Each is a folder that sees only those below it.
//!
//! There is one revision for everything, as in etcd. Every change raises it by one and appends one
//! event to a bounded log; watchers hold a position in that log and no queue, and an older state is
//! today's with the events since undone.
//!
//! # What it does not do
//!
//! - No validation of built-in types. Schemas of custom resources count, without
//!   `pattern`, `format` and rules in CEL.
//! - No conversion but that of events, which two groups serve: versions of a resource share their
//!   objects, only `apiVersion` differs.
//! - No server-side apply (415) and no `managedFields` other than those that the client wrote without
//!   the feature `openapi`; no CBOR or YAML (406), no subresources but `status`, `scale`, the
//!   `eviction` and `binding` of Pods, the `approval` of signing requests and the `token` of service
//!   accounts. Fields of built-in kinds that nobody
//!   knows are found with the feature `openapi` only; without it, those in metadata and in custom
//!   resources.
//! - OpenAPI is JSON alone, and takes the feature `openapi`.
//! - Protobuf is spoken for built-in kinds, and for metadata of all kinds; not in discovery, and not
//!   for alpha kinds that Kubernetes has dropped. What [`Control::put_raw`] puts in and no message
//!   can say arrives as an object with its metadata that cannot be decoded.
//! - No admission, and no controllers but three: definitions are established, the contents of a
//!   deleted namespace go with it, and owner references are followed. Pods do not wait for a
//!   kubelet.
//! - Without [tokens](Builder::token) everybody may do everything. With them roles and bindings
//!   count, without escalation checks and aggregation.
//! - A version from the future fails at once, where the real server waits three seconds for it.
//!
//! `docs/apiserver.md` in the repository is a guide to testing controllers with it, and
//! `docs/apiserver-reference.md` has every known difference from the real server with its reason. A
//! test compares both, request by request.

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
#[cfg(feature = "openapi")]
mod typed;

pub use control::Control;
pub use fault::requests::{Matcher, RecordedRequest};
pub use fault::{Fault, FaultRun, FaultScript, ParseFaultError};
#[cfg(feature = "tls")]
pub use http::tls::ClientCertificate;
pub use registry::target::Verb;
pub use server::builder::Builder;
pub use server::{ApiServer, StartError};
pub use status::ApiError;

/// The guide's examples, compiled and run.
#[cfg(all(doctest, feature = "client"))]
#[doc = include_str!("../../docs/apiserver.md")]
struct Guide;
