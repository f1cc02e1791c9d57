//! The task of one handler: takes from the mailbox, calls, contains panics.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use tokio::time::Instant;

use super::listener::Receiver;
use super::registration::{CALLER, Status};
use super::{EventHandler, Handle};
use crate::Event;

/// A call that takes longer than this is slow, as in client-go.
const SLOW_CALL: Duration = Duration::from_millis(100);
/// A slow call is worth a line in the log if more notifications than this wait behind it.
const MANY_PENDING: usize = 1024;
/// At most one such line in this time, for each handler.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// Calls `handler` with everything that `receiver` yields.
pub(super) async fn serve<H: Handle, T: EventHandler<H>>(receiver: Receiver<H>, handler: T) {
    let status = receiver.status().clone();
    let calls = async {
        // In this order, so that the handler is gone when the registration says so.
        let mut receiver = receiver;
        let mut handler = handler;
        let mut slow = SlowCalls::default();
        while let Some(event) = receiver.next().await {
            let started = Instant::now();
            call(receiver.status(), &mut handler, event).await;
            let counters = &receiver.status().counters;
            let now = Instant::now();
            let took = now - started;
            counters.add_delivered();
            counters.add_busy(took);
            if slow.is_worth_a_warning(now, took, counters.pending()) {
                tracing::warn!(
                    informer = %receiver.status().informer,
                    handler = %receiver.status().name,
                    took_ms = took.as_millis(),
                    pending = counters.pending(),
                    "slow handler: notifications are waiting"
                );
            }
        }
    };
    CALLER.scope(status, calls).await;
}

/// One call, whose panic ends here.
async fn call<H: Handle, T: EventHandler<H>>(status: &Status, handler: &mut T, event: Event<H>) {
    let key = event.key().clone();
    let call = async { handler.on_event(event).await };
    if AssertUnwindSafe(call).catch_unwind().await.is_err() {
        status.counters.add_panic();
        // Not the panic's message: it may quote the object.
        tracing::error!(
            informer = %status.informer,
            handler = %status.name,
            %key,
            "handler panicked: it goes on with the next notification"
        );
    }
}

/// Decides which slow calls are logged.
#[derive(Debug, Default)]
struct SlowCalls {
    warned: Option<Instant>,
}

// === impl SlowCalls ===

impl SlowCalls {
    fn is_worth_a_warning(&mut self, now: Instant, took: Duration, pending: usize) -> bool {
        if took <= SLOW_CALL || pending <= MANY_PENDING {
            return false;
        }
        let recently = self
            .warned
            .is_some_and(|at| now.saturating_duration_since(at) < WARNING_INTERVAL);
        if !recently {
            self.warned = Some(now);
        }
        !recently
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O-03.
    #[tokio::test(start_paused = true)]
    async fn o03_only_slow_calls_with_many_pending_warn_and_not_too_often() {
        let mut slow = SlowCalls::default();
        let start = Instant::now();
        let ms = Duration::from_millis;
        assert!(!slow.is_worth_a_warning(start, ms(100), 2000));
        assert!(!slow.is_worth_a_warning(start, ms(101), 1024));
        assert!(slow.is_worth_a_warning(start, ms(101), 1025));
        assert!(!slow.is_worth_a_warning(start + ms(9_999), ms(500), 5000));
        assert!(slow.is_worth_a_warning(start + ms(10_000), ms(500), 5000));
    }
}
