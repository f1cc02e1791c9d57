//! Golden expansions, and tests that need no compiler.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "syn's enums are non-exhaustive"
)]

mod cost;
mod golden;
mod renaming;
mod typing;
