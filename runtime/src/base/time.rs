//! Waits for optional deadlines.

use std::future;

use tokio::time::{Instant, sleep_until};

/// Waits until `at`; never returns if `at` is `None`.
pub async fn deadline(at: Option<Instant>) {
    match at {
        Some(at) => sleep_until(at).await,
        None => future::pending().await,
    }
}
