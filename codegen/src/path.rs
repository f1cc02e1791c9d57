//! Grammar of the paths of indices and relations, and resolution of metadata paths.
//!
//! JSON spelling: `spec.nodeName` and `metadata.labels['app']`. Rust spelling: `spec.node_name` and
//! `metadata.labels["app"]`. Neither spelling is guessed from the other.

mod grammar;
mod metadata;
mod segment;

pub use self::grammar::parse;
pub use self::metadata::{Metadata, metadata};
pub use self::segment::{Canonical, Name, PathError, Segment, Spelling, is_entry_key};

#[cfg(test)]
mod tests;
