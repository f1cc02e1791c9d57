//! Parts of unit tests that several packages share.

#![expect(
    missing_docs,
    missing_debug_implementations,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::new_without_default,
    clippy::unwrap_used,
    reason = "for tests, and with the names of the types that it replaces"
)]

pub mod checked;
pub mod logged;
pub mod schedules;
