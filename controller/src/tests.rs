//! Parts that the tests of several modules share.

pub(crate) mod net;
pub(crate) mod running;
pub(crate) mod server;

use std::time::Duration;

pub(crate) fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

pub(crate) const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Waits until no task has anything to do: the paused clock advances only then.
pub(crate) async fn settled() {
    tokio::time::sleep(ms(1)).await;
}

/// Runs a test on a paused clock.
pub(crate) fn on_paused_clock<F: Future>(test: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().unwrap();
    runtime.block_on(test)
}
