//! Declarations of indices and relations of kinds of all inputs.

mod index;
mod relation;
