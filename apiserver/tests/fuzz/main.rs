//! Replays the corpus of the fuzz target `server`, with random mutations.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failure fails the test"
)]

mod fuzzing;

use informer_fuzz_replay::check;

use crate::fuzzing::server;

/// Every request is answered; a panic would break the connection.
#[test]
fn every_request_is_answered_and_the_store_still_lists() {
    check("server", server);
}
