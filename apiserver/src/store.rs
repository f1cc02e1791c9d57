//! Objects by key under one revision, the event log, and the file that outlives the process.
//!
//! An object is stored as encoded bytes, together with a header of the values that are read often;
//! a tree of values would need several times the memory. Its `kind` and `apiVersion` depend on the
//! requested version. They are not part of the bytes, but are written in front of them in each
//! response. `metadata` is the first member, so a metadata-only response is a prefix of the full
//! one.

mod field;
mod header;
mod key;
pub(crate) mod log;
mod object;
mod tables;

pub(crate) use header::OwnerReference;
pub(crate) use key::{ResourceId, storage_key};
pub(crate) use object::{Stored, head};
pub(crate) use tables::{Store, Unreachable};

#[cfg(test)]
mod tests;
