//! What `#[derive(Informer)]` and `informer-gen` share: how things are called, what a path means, and
//! the code that both emit.
//!
//! An implementation detail of the two, published because they are. It follows no version but theirs:
//! use `informer` or `informer-gen` instead.
//!
//! - [`names`]: plurals, accessors, modules, and every word that is reserved;
//! - [`path`]: the grammar of paths, in both spellings, and what leads into the metadata;
//! - [`ir`]: what is generated of one kind, wherever that was read;
//! - [`emit`]: the same as tokens, and [`layout`]: as text;
//! - [`suggest`]: what a misspelt name was meant to be.
//!
//! # Invariants
//!
//! 1. Nothing here reads a file, parses an item, or knows which of the two asks.
//! 2. Emitted code names `::core`, `::std`, the runtime's path and the user's types, nothing else.
//! 3. A plural is never guessed, but where kube-derive guesses it, by kube-derive's rule.

pub mod emit;
pub mod ir;
pub mod layout;
pub mod names;
pub mod path;
pub mod suggest;

/// The revision of what emitted code expects of the runtime's `__private`.
pub const CODEGEN_ABI: u32 = 2;
