//! Code that `#[derive(Informer)]` and `informer-gen` share: the language of declarations, its
//! checks, naming, and emission.
//!
//! This crate is an implementation detail of the two and follows their versions only. Use
//! `informer` or `informer-gen` instead.
//!
//! - [`declaration`]: the grammar of `#[informer(...)]`, with [`path`]s;
//! - [`check`]: each rule for names, indices and relations, over a resolver of paths;
//! - [`ctxt`]: collects errors with their positions;
//! - [`doc`]: text of the input as documentation;
//! - [`names`]: plurals, accessors, modules, and reserved words;
//! - [`path`]: the grammar of paths in both spellings, and paths into the metadata;
//! - [`kube`]: the sibling `#[kube(..)]` of the derive of a custom resource;
//! - [`ir`]: the intermediate representation of one kind, independent of the input;
//! - [`emit`]: the generated code as tokens;
//! - [`suggest`]: suggestions for misspelt names.
//!
//! # Invariants
//!
//! 1. This crate does not read files, does not parse items, and does not know its caller. An error
//!    has a span; the caller knows which file or option that is.
//! 2. Emitted code refers to `::core`, `::std`, the runtime's path and the user's types only.
//! 3. Text of the input becomes a literal, an identifier by [`names::identifier`], or a
//!    [`Doc`](doc::Doc).
//! 4. Plurals are never guessed, except where kube-derive guesses; then kube-derive's rule applies.

#![expect(
    missing_debug_implementations,
    reason = "syn prints its types only with a feature that every user of the derive would compile"
)]

pub mod check;
pub mod ctxt;
pub mod declaration;
pub mod doc;
pub mod emit;
pub mod ir;
pub mod kube;
pub mod names;
pub mod path;
pub mod suggest;

/// Revision of the interface between emitted code and the runtime's `__private` module.
pub const CODEGEN_ABI: u32 = 8;
