//! What is stored: objects by key under one revision, what has happened to them, and the file that
//! outlives the process.
//!
//! An object is kept as its bytes with what is asked for again and again beside them (a header):
//! a tree of values would take seven times the room. Its `kind` and `apiVersion` depend on the
//! version it is asked in, so they are kept out of the bytes and put in front when the object is
//! written out. `metadata` is the first member, which makes a metadata-only answer a prefix of the
//! full one.

mod field;
#[cfg(feature = "persist")]
pub(crate) mod file;
mod header;
#[cfg(feature = "persist")]
pub(crate) mod journal;
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
