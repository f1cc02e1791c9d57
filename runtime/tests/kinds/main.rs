//! Every built-in kind. A separate binary, because it takes long to compile.

// Makes clippy treat the helpers as test code.
#![cfg(test)]

#[macro_use]
#[path = "../../../tests/support/kinds.rs"]
mod list;

mod decoding;
#[path = "../../../tests/support/objects.rs"]
mod objects;
