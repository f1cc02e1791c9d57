//! The corpus of the fuzz target `server`, and random requests that are made of it.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what fails here fails a test"
)]

mod fuzzing;

use informer_fuzz_replay::check;

use crate::fuzzing::server;

/// An answer to everything; a panic would cut the connection.
#[test]
fn every_request_is_answered_and_the_store_still_lists() {
    check("server", server);
}
