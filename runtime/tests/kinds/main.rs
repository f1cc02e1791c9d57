//! Every built-in kind. A separate binary, because it takes long to compile.

// Makes clippy treat the helpers as test code.
#![cfg(test)]

#[macro_use]
mod built_in_kinds;
mod decoding;
mod generated;
