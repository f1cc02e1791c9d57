//! Waiting for a time that there may not be.

use std::future;

use tokio::time::{Instant, sleep_until};

/// Waits for a deadline; for ever if there is none.
pub(crate) async fn deadline(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => future::pending().await,
    }
}
