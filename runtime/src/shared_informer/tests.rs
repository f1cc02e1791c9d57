//! Tests of a complete informer, over scripted sources and on a paused clock; one file per theme.

mod filter;
mod handlers;
mod indices;
mod lifecycle;
mod namespaces;
mod read_your_writes;
mod retained;
mod status;
mod storage;
mod store;
mod streams;
mod support;
mod tiered;
mod transform;
