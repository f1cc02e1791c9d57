//! Tests of factories over an in-memory server, on a paused clock; one file per theme.

mod identity;
mod lifecycle;
mod metrics;
mod namespaces;
mod outages;
mod parts;
mod room;
mod settings;
mod storage;
pub(crate) mod support;
mod sync;
mod turns;
