//! Task of one handler: pops notifications, calls the handler, and contains its panics.

use std::mem;
use std::time::Duration;

use tokio::time::Instant;

use super::EventHandler;
use super::listener::Receiver;
use super::registration::{CALLER, Status};
use crate::base::log_limit::LogLimit;
use crate::base::panic::{HINT, catch_async};
use crate::event::Event;
use crate::storage::Entry;

/// Duration above which a call is slow, as in client-go.
const SLOW_CALL: Duration = Duration::from_millis(100);
/// Number of waiting notifications above which a slow call is logged. A full mailbox is logged as
/// well.
const MANY_PENDING: usize = 1024;
/// Minimum interval between two such warnings for one handler.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// Calls `handler` with each notification of `receiver`.
pub(super) async fn serve(receiver: Receiver, handler: impl EventHandler<Entry>) {
    let status = receiver.status().clone();
    let calls = async {
        // Declared in this order, so that the handler is dropped before the registration ends.
        let mut receiver = receiver;
        let mut handler = handler;
        let mut slow = SlowCalls::default();
        let mut panics = LogLimit::default();
        let mut now = Instant::now();
        let mut has_waited = false;
        while let Some(event) = receiver.next(&mut has_waited).await {
            let replaced = receiver.listener().replaced(&event);
            // In a burst, a call starts when the previous one has ended.
            if mem::take(&mut has_waited) {
                now = Instant::now();
            }
            let started = now;
            call(receiver.status(), &mut handler, event, &mut panics).await;
            // The handler's own reference is gone, unless the handler kept it.
            receiver.listener().send_home(replaced);
            now = Instant::now();
            let took = now.saturating_duration_since(started);
            let Status { counters, .. } = &**receiver.status();
            counters.delivered.increment();
            counters.calls.record(took);
            if took > SLOW_CALL
                && receiver.listener().is_backed_up(MANY_PENDING)
                && slow.is_worth_a_warning(now)
            {
                warn_of_slow_call(receiver.status(), took);
            }
        }
    };
    CALLER.scope(status, calls).await;
}

/// Makes one call, and contains its panic.
async fn call(
    status: &Status,
    handler: &mut impl EventHandler<Entry>,
    event: Event<Entry>,
    panics: &mut LogLimit,
) {
    let key = event.key().clone();
    let call = async { handler.on_event(event).await };
    if catch_async(call).await.is_err() {
        status.counters.panics.increment();
        let Some(suppressed) = panics.pass(Instant::now()) else {
            return;
        };
        tracing::error!(
            informer = %status.informer,
            handler = %status.name,
            %key,
            suppressed,
            "handler panicked, continuing with the next notification; {HINT}"
        );
    }
}

fn warn_of_slow_call(status: &Status, took: Duration) {
    tracing::warn!(
        informer = %status.informer,
        handler = %status.name,
        took_ms = took.as_millis(),
        pending = status.counters.pending(),
        "slow handler: notifications are waiting"
    );
}

/// Rate limit for warnings about slow calls.
#[derive(Debug, Default)]
struct SlowCalls {
    warned: Option<Instant>,
}

// === impl SlowCalls ===

impl SlowCalls {
    fn is_worth_a_warning(&mut self, now: Instant) -> bool {
        let recently = self
            .warned
            .is_some_and(|at| now.saturating_duration_since(at) < WARNING_INTERVAL);
        if !recently {
            self.warned = Some(now);
        }
        !recently
    }
}
