//! Reports failures to the log (at a bounded rate), the error handler, the status, and the metrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tracing::{debug, error, warn};

use crate::base::chain::Chain;
use crate::base::panic::{HINT, catch};
use crate::status::{Metrics, Reason, ReflectorError, SourceError, StatusCell};

/// Maximum number of failures that are logged within [`LOG_WINDOW`].
const LOG_BURST: u32 = 10;
const LOG_WINDOW: Duration = Duration::from_secs(60);

/// Callback for the failures of a reflector, called once for each. client-go's counterpart is
/// `WatchErrorHandler`.
///
/// Runs on the informer's task, so a slow handler delays the informer. A panic is caught and
/// logged.
#[derive(Clone)]
pub struct ErrorHandler(Arc<dyn Fn(&ReflectorError) + Send + Sync>);

/// Receives the failures and progress of an informer.
#[derive(Debug)]
pub(crate) struct Reporter {
    name: Arc<str>,
    handler: Option<ErrorHandler>,
    status: Arc<StatusCell>,
    metrics: Arc<Metrics>,
    log: Mutex<LogLimit>,
}

/// Passes the first failures of a window, and counts the others.
#[derive(Debug, Default)]
pub(super) struct LogLimit {
    since: Option<Instant>,
    passed: u32,
    held_back: u32,
}

// === impl ErrorHandler ===

impl ErrorHandler {
    /// Creates a handler from a function.
    pub fn new(handle: impl Fn(&ReflectorError) + Send + Sync + 'static) -> Self {
        Self(Arc::new(handle))
    }
}

impl fmt::Debug for ErrorHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ErrorHandler")
    }
}

// === impl Reporter ===

impl Reporter {
    pub(crate) fn new(
        name: Arc<str>,
        handler: Option<ErrorHandler>,
        status: Arc<StatusCell>,
        metrics: Arc<Metrics>,
    ) -> Self {
        Self {
            name,
            handler,
            status,
            metrics,
            log: Mutex::new(LogLimit::default()),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Records a response of the server.
    pub(super) fn progress(&self, now: Instant) {
        self.status.progress(now);
    }

    /// Reports a failure to all recipients, and ends the current request unless the failure
    /// concerns one object.
    pub(super) fn report(&self, failure: ReflectorError) {
        if !failure.is_about_one_object() {
            self.metrics.requests.end(Reason::of(&failure));
        }
        self.tell(failure);
    }

    /// Reports a failure to all recipients, without ending a request.
    pub(super) fn tell(&self, failure: ReflectorError) {
        match &failure {
            ReflectorError::Object(_) => self.metrics.undecodable_objects.increment(),
            ReflectorError::Rejected(_) => self.metrics.rejected_objects.increment(),
            ReflectorError::List(_)
            | ReflectorError::Connect(_)
            | ReflectorError::Watch(_)
            | ReflectorError::VeryShortWatch
            | ReflectorError::WatchListRefused(_)
            | ReflectorError::BookmarkMissing(_)
            | ReflectorError::WentBack { .. } => self.metrics.failures.increment(),
        }
        self.log(&failure);
        if let Some(handler) = &self.handler {
            let outcome = catch(|| (handler.0)(&failure));
            if outcome.is_err() {
                error!(informer = %self.name, "error handler panicked; {HINT}");
            }
        }
        if !failure.is_about_one_object() {
            self.status.failed(failure);
        }
    }

    fn log(&self, failure: &ReflectorError) {
        // Both occur regularly with every server.
        let is_expected = |error: &SourceError| error.is_expired() || error.is_unexpected_eof();
        if failure.source_error().is_some_and(is_expected) {
            debug!(informer = %self.name, error = %Chain(failure), "reflector failure");
            return;
        }
        let Some(held_back) = self.log.lock().pass(Instant::now()) else {
            return;
        };
        warn!(informer = %self.name, error = %Chain(failure), held_back, "reflector failure");
    }
}

// === impl LogLimit ===

impl LogLimit {
    /// Returns `None` if the failure must not be logged, or else the number of suppressed failures
    /// before it.
    pub(super) fn pass(&mut self, now: Instant) -> Option<u32> {
        let over = self
            .since
            .is_none_or(|since| now.duration_since(since) >= LOG_WINDOW);
        if over {
            self.since = Some(now);
            self.passed = 0;
        }
        if self.passed >= LOG_BURST {
            self.held_back += 1;
            return None;
        }
        self.passed += 1;
        Some(std::mem::take(&mut self.held_back))
    }
}
