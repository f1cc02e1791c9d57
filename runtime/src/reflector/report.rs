//! Reports failures to the log (at a bounded rate), the error handler, the status, and the metrics.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::Instant;
use tracing::{debug, error, info, warn};

use crate::base::chain::Chain;
use crate::base::log_limit::LogLimit;
use crate::base::panic::{HINT, catch};
use crate::base::text::seconds;
use crate::status::{
    Metrics, Reason, ReflectorError, Refusal, RequestLog, SourceError, StatusCell,
};

/// Maximum number of causes of one outage that are logged.
const TOLD_CAUSES: usize = 16;

/// Callback for the failures of a reflector, called once for each. client-go's counterpart is
/// `WatchErrorHandler`.
///
/// Runs on the informer's task, so a slow handler delays the informer. A panic is caught and
/// logged.
#[derive(Clone)]
pub struct ErrorHandler(Arc<dyn Fn(&ReflectorError) + Send + Sync>);

/// Receives the failures and progress of a reflector.
#[derive(Debug)]
pub(crate) struct Reporter {
    name: Arc<str>,
    namespace: Option<Arc<str>>,
    /// Position of the namespace in the status.
    position: usize,
    handler: Option<ErrorHandler>,
    status: Arc<StatusCell>,
    metrics: Arc<Metrics>,
    requests: RequestLog,
    log: Mutex<Log>,
}

/// Failures in a row, and the lines about them.
#[derive(Debug, Default)]
struct Log {
    limit: LogLimit,
    outage: Option<Outage>,
}

/// Time in which the informer does not follow the API server.
#[derive(Debug)]
struct Outage {
    since: Instant,
    failures: u32,
    /// Causes that were told; at most [`TOLD_CAUSES`].
    told: Vec<String>,
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
            namespace: None,
            position: 0,
            handler,
            status,
            requests: RequestLog::new(Arc::clone(&metrics.requests)),
            metrics,
            log: Mutex::new(Log::default()),
        }
    }

    /// Reports failures of one of the informer's namespaces.
    pub(crate) fn of_namespace(mut self, position: usize, namespace: Option<Arc<str>>) -> Self {
        self.position = position;
        self.namespace = namespace;
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the namespace of the requests; `None` if they are about all that is cached.
    pub(super) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(super) fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    pub(super) fn requests(&self) -> &RequestLog {
        &self.requests
    }

    /// Records a response of the server. It ends no outage: a part of a list does not show that the
    /// list will be complete, nor that a watch from it will be accepted.
    pub(super) fn received(&self, now: Instant) {
        self.status.received(now);
    }

    /// Records that the informer follows the server, which ends an outage.
    pub(super) fn follows(&self, now: Instant) {
        let has_recovered = self.status.follows(self.position, now);
        if !has_recovered {
            return;
        }
        let mut log = self.log.lock();
        let Some(Outage {
            since, failures, ..
        }) = log.outage.take()
        else {
            return;
        };
        if log.limit.pass(now).is_some() {
            let seconds = seconds(now.saturating_duration_since(since));
            let namespace = self.namespace();
            info!(informer = %self.name, namespace, seconds, failures, "recovered");
        }
    }

    /// Reports a failure to all recipients, and ends the current request unless the failure
    /// concerns one object.
    pub(super) fn report(&self, failure: ReflectorError) {
        let is_about_one_object = failure.is_about_one_object();
        if !is_about_one_object {
            self.requests.end(Reason::of(&failure));
        }
        self.tell(failure);
    }

    /// Reports a failure to all recipients. The current request goes on.
    pub(super) fn tell(&self, failure: ReflectorError) {
        let is_about_one_object = failure.is_about_one_object();
        let counter = if let ReflectorError::Object(_) = failure {
            &self.metrics.undecodable_objects
        } else if is_about_one_object {
            &self.metrics.rejected_objects
        } else {
            &self.metrics.failures
        };
        counter.increment();
        let told = Arc::new(match &self.namespace {
            Some(namespace) if !is_about_one_object => ReflectorError::InNamespace {
                namespace: Arc::clone(namespace),
                failure: Box::new(failure),
            },
            _ => failure,
        });
        // Who is told finds the same in the status.
        if !is_about_one_object {
            self.status.failed(self.position, Arc::clone(&told));
        }
        if let ReflectorError::InNamespace { failure, .. } = &*told {
            self.log(failure);
        } else {
            self.log(&told);
        }
        if let Some(handler) = &self.handler {
            let outcome = catch(|| (handler.0)(&told));
            if outcome.is_err() {
                error!(informer = %self.name, "error handler panicked; {HINT}");
            }
        }
    }

    /// Logs what is new: the start of an outage, and another reason of it. All else is at `DEBUG`.
    fn log(&self, failure: &ReflectorError) {
        // Both occur regularly with every server.
        let is_expected = |error: &SourceError| error.is_expired() || error.is_unexpected_eof();
        let is_routine = failure.source_error().is_some_and(is_expected)
            // The list that follows tells more.
            || matches!(failure, ReflectorError::WatchListRefused(_));
        let name = &self.name;
        let namespace = self.namespace();
        let error = Chain(failure);
        let now = Instant::now();
        let mut log = self.log.lock();
        if is_routine || !(failure.is_about_one_object() || log.is_news(failure, now)) {
            debug!(informer = %name, namespace, %error, "reflector failure");
            return;
        }
        let Some(not_logged) = log.limit.pass(now) else {
            return;
        };
        let held_back = (not_logged > 0).then_some(not_logged);
        if failure.is_about_one_object() {
            warn!(informer = %name, namespace, %error, held_back, "an object is not cached");
        } else if let ReflectorError::Lagging(_) = failure {
            warn!(informer = %name, namespace, %error, held_back, "waiting for the end of the watch");
        } else if let Some(refusal) = Refusal::of(failure) {
            let advice = refusal.advice();
            warn!(informer = %name, namespace, %error, held_back, "retrying: {advice}");
        } else {
            warn!(informer = %name, namespace, %error, held_back, "retrying");
        }
    }
}

// === impl Log ===

impl Log {
    /// Returns `true` if this failure starts an outage, or has a cause that was not told in it.
    fn is_news(&mut self, failure: &ReflectorError, now: Instant) -> bool {
        let went_back = matches!(failure, ReflectorError::WentBack { .. });
        let cause = cause_of(failure);
        let outage = self.outage.get_or_insert_with(|| Outage {
            since: now,
            failures: 0,
            told: Vec::new(),
        });
        outage.failures += 1;
        let is_new = !outage.told.contains(&cause) && outage.told.len() < TOLD_CAUSES;
        if is_new {
            outage.told.push(cause);
        }
        went_back || is_new
    }
}

/// Returns what tells two causes of an outage apart: the code of an answer, or else the innermost
/// error, whichever request it ended. A connection that ends and one that is refused are one cause,
/// because a server that restarts shows both.
fn cause_of(failure: &ReflectorError) -> String {
    let Some(error) = failure.source_error() else {
        return failure.to_string();
    };
    if let Some(status) = error.status() {
        return format!("HTTP {}", status.code);
    }
    if error.is_disconnected() {
        return "disconnected".to_owned();
    }
    let mut innermost: &dyn Error = error;
    while let Some(cause) = innermost.source() {
        innermost = cause;
    }
    innermost.to_string()
}
