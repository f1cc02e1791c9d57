//! Factories over a server in memory, on a paused clock; one file per theme.

mod identity;
mod lifecycle;
mod storage;
mod support;
mod sync;
