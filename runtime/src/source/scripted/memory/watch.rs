//! The stream of one watch.

use std::collections::VecDeque;
use std::sync::Arc;

use futures::stream::{self, Stream};
use tokio::time::{Instant, timeout_at};

use super::shared::ControllerSourceShared;
use super::state::{Cursor, ServerState, expired, number};
use crate::source::WatchOptions;
use crate::status::SourceError;
use crate::wire::RawEvent;

struct MemoryWatch {
    shared: Arc<ControllerSourceShared>,
    /// Events before the history.
    initial: VecDeque<RawEvent>,
    /// `None` if the watch ends after the initial events.
    cursor: Option<Cursor>,
    deadline: Instant,
}

/// Opens a watch.
///
/// # Errors
///
/// Returns the error that the test has set for watches.
pub(super) fn open(
    shared: &Arc<ControllerSourceShared>,
    options: &WatchOptions,
) -> Result<impl Stream<Item = RawEvent> + use<>, SourceError> {
    let (initial, cursor) = {
        let state = shared.state.lock();
        if let Some(error) = &state.watch_error {
            return Err(error.clone());
        }
        start(&state, options)
    };
    let watch = MemoryWatch {
        shared: Arc::clone(shared),
        initial,
        cursor,
        deadline: Instant::now() + options.timeout,
    };
    Ok(stream::unfold(watch, |mut watch| async {
        let event = watch.next().await?;
        Some((event, watch))
    }))
}

fn start(state: &ServerState, options: &WatchOptions) -> (VecDeque<RawEvent>, Option<Cursor>) {
    let has_version = options.resource_version.is_exact();
    if options.send_initial_events || !has_version {
        let mut initial = VecDeque::from(state.initial_events());
        if options.send_initial_events && options.allow_bookmarks {
            initial.push_back(RawEvent::initial_events_end(state.version()));
        }
        let cursor = state.cursor(state.last_version(), options.allow_bookmarks);
        return (initial, cursor);
    }
    let seen = number(&options.resource_version);
    if let Some(cursor) = state.cursor(seen, options.allow_bookmarks) {
        return (VecDeque::new(), Some(cursor));
    }
    // API servers open the watch and report the error in an event.
    let error = expired().status().cloned().unwrap_or_default();
    (VecDeque::from([RawEvent::Error(error)]), None)
}

// === impl MemoryWatch ===

impl MemoryWatch {
    async fn next(&mut self) -> Option<RawEvent> {
        if let Some(event) = self.initial.pop_front() {
            return Some(event);
        }
        let cursor = self.cursor.as_mut()?;
        loop {
            // Created before the check, so that a notification between the check and the wait is
            // not lost.
            let changed = self.shared.changed.notified();
            match self.shared.state.lock().next(cursor) {
                Ok(Some(event)) => return Some(event),
                Ok(None) => {}
                Err(_) => return None,
            }
            timeout_at(self.deadline, changed).await.ok()?;
        }
    }
}
