//! Golden expansions, and the parts that need no compiler.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "syn's enums are open: there is always a rest"
)]

mod cost;
mod golden;
mod index_value;
mod renaming;
mod typing;
