//! Where failures go: the log at a bounded rate, the error handler, the status, the counts.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tracing::{debug, error, warn};

use crate::base::chain::Chain;
use crate::base::panic::{HINT, catch};
use crate::status::{Metrics, Reason, ReflectorError, SourceError, StatusCell};

/// How many failures are logged within [`LOG_WINDOW`].
const LOG_BURST: u32 = 10;
const LOG_WINDOW: Duration = Duration::from_secs(60);

/// Is told of each failure of a reflector, once. client-go's `WatchErrorHandler`.
///
/// It runs on the informer's task: a slow one delays the informer. A panic is caught and logged.
#[derive(Clone)]
pub struct ErrorHandler(Arc<dyn Fn(&ReflectorError) + Send + Sync>);

/// What happens to an informer's failures and signs of life.
#[derive(Debug)]
pub(crate) struct Reporter {
    name: Arc<str>,
    handler: Option<ErrorHandler>,
    status: Arc<StatusCell>,
    metrics: Arc<Metrics>,
    log: Mutex<LogLimit>,
}

/// Lets the first failures of a window through and counts the others.
#[derive(Debug, Default)]
pub(super) struct LogLimit {
    since: Option<Instant>,
    passed: u32,
    held_back: u32,
}

// === impl ErrorHandler ===

impl ErrorHandler {
    /// Makes a handler of a function.
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

    /// The server answers.
    pub(super) fn progress(&self, now: Instant) {
        self.status.progress(now);
    }

    /// One failure, to all who are to know. It has ended the request, unless it is about one object.
    pub(super) fn report(&self, failure: ReflectorError) {
        if !failure.is_about_one_object() {
            self.metrics.requests.end(Reason::of(&failure));
        }
        self.tell(failure);
    }

    /// One failure, to all who are to know, that has ended no request.
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
            let told = catch(|| (handler.0)(&failure));
            if told.is_err() {
                error!(informer = %self.name, "error handler panicked; {HINT}");
            }
        }
        if !failure.is_about_one_object() {
            self.status.failed(failure);
        }
    }

    fn log(&self, failure: &ReflectorError) {
        // Both are part of every server's day.
        let is_expected = |error: &SourceError| error.is_expired() || error.is_unexpected_eof();
        if failure.source_error().is_some_and(is_expected) {
            debug!(informer = %self.name, error = %Chain(failure), "following failed");
            return;
        }
        let Some(held_back) = self.log.lock().pass(Instant::now()) else {
            return;
        };
        warn!(informer = %self.name, error = %Chain(failure), held_back, "following failed");
    }
}

// === impl LogLimit ===

impl LogLimit {
    /// Whether to log, and how many were held back before.
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
