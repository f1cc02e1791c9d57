//! A look inside: a live page, probes and metrics of informers and controllers.
//!
//! [`Service`] answers HTTP requests about one factory and its controllers: which informers are
//! synced and how far they lag behind, what they hold, what each controller does, and for which
//! reasons it does so. It is a `tower::Service`, to be mounted in a server of the program, and it can
//! [listen](Service::serve) by itself.
//!
//! ```text
//! factory ──── status, metrics ───┐            ┌─► page, rendered once a second for all viewers
//! queues ───── metrics ───────────┼─► Service ─┼─► /metrics, /livez, /readyz
//! recorders ── reasons, outcomes ─┘            └─► objects, reasons of a key
//! ```
//!
//! Nothing here is global, and nothing changes state. The page has no assets of other sites, and is
//! readable without scripts.

mod connections;
mod redact;
mod route;
mod series;
mod text;

mod access;
mod html;
mod ready;

mod history;
mod read;

mod shared;

mod body;
mod graph;
mod pages;

mod overview;

mod answer;
mod sample;

mod service;

mod serve;

pub use self::body::Body;
pub use self::service::Service;

#[cfg(test)]
mod tests;
