//! Caches of slices that enter and leave, against a server with and without shard selectors.

mod changes;
mod counts;
mod readers;
mod world;
