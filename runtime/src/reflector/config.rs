//! What can be set on a reflector.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::Backoff;
use super::report::ErrorHandler;
use super::user_backoff::UserBackoff;

/// The shortest time after which a server is asked to close a watch; client-go's minimum.
const MIN_WATCH_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// A longer one is cut to this: no server keeps a watch for longer.
const MAX_WATCH_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

/// How long a streaming list may come no nearer to its end.
const INITIAL_EVENTS_DEADLINE: Duration = Duration::from_secs(30);

/// Whether the first state is streamed (KEP-3157) or listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchListMode {
    /// Streamed where source and server can; listed for 30 minutes after a refusal.
    #[default]
    Auto,
    /// Always listed.
    Never,
}

/// Settings of one reflector. The defaults are client-go's unless said otherwise.
///
/// A setting that is not made is the factory's, where there is one, and the default otherwise.
#[derive(Clone, Default)]
pub struct ReflectorConfig {
    /// 0 for the default rule, against a factory's.
    page_size: Option<u32>,
    watch_list: Option<WatchListMode>,
    min_watch_timeout: Option<Duration>,
    internal_error_retry: Option<Duration>,
    initial_events_deadline: Option<Duration>,
    backoff: Option<Arc<dyn Fn() -> Box<dyn Backoff> + Send + Sync>>,
    error_handler: Option<ErrorHandler>,
}

/// A [`ReflectorConfig`] with its defaults.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub(super) page_size: Option<u32>,
    pub(super) watch_list: WatchListMode,
    pub(super) min_watch_timeout: Duration,
    pub(super) internal_error_retry: Duration,
    pub(super) initial_events_deadline: Duration,
}

// === impl ReflectorConfig ===

impl ReflectorConfig {
    /// How many objects a page of a list holds, for every list.
    ///
    /// The default rule is 500, and no limit for a list at a known version, which the server
    /// answers from its cache; 0 asks for that rule.
    #[must_use]
    pub fn page_size(mut self, page_size: u32) -> Self {
        self.page_size = Some(page_size);
        self
    }

    /// Whether the first state is streamed; default [`WatchListMode::Auto`].
    #[must_use]
    pub fn watch_list(mut self, mode: WatchListMode) -> Self {
        self.watch_list = Some(mode);
        self
    }

    /// After which time, or up to twice that, the server closes a watch. Default and least: 5 min;
    /// at most a day.
    #[must_use]
    pub fn min_watch_timeout(mut self, timeout: Duration) -> Self {
        self.min_watch_timeout = Some(timeout.clamp(MIN_WATCH_TIMEOUT, MAX_WATCH_TIMEOUT));
        self
    }

    /// For how long a watch that ends in an internal error is opened again without a list.
    /// Default: not at all.
    #[must_use]
    pub fn internal_error_retry(mut self, window: Duration) -> Self {
        self.internal_error_retry = Some(window);
        self
    }

    /// How long a streaming list may come no nearer to its end before the informer lists instead.
    /// Default 30 s; client-go waits for ever.
    #[must_use]
    pub fn initial_events_deadline(mut self, deadline: Duration) -> Self {
        self.initial_events_deadline = Some(deadline);
        self
    }

    /// Sets the delays between requests after failures, for refusals and for lost connections.
    ///
    /// `make` is called twice for each informer, because the two kinds of failure have a schedule
    /// each. By default a refusal is followed by the delays of
    /// [`ExponentialBackoff::default`](super::ExponentialBackoff::default). A
    /// connection that is lost or cannot be made is tried again within 100 ms, then every 0.8 to
    /// 1.6 s, and with growing delays only when the outage is older than 60 s. A backoff that panics is
    /// replaced by the default.
    #[must_use]
    pub fn backoff<B: Backoff + 'static>(
        mut self,
        make: impl Fn() -> B + Send + Sync + 'static,
    ) -> Self {
        self.backoff = Some(Arc::new(move || Box::new(UserBackoff::new(&make))));
        self
    }

    /// Is told of each failure, once, beside the log. client-go's `SetWatchErrorHandler`.
    #[must_use]
    pub fn error_handler(mut self, handler: ErrorHandler) -> Self {
        self.error_handler = Some(handler);
        self
    }

    /// What is set here, and where nothing is, what `defaults` sets: setting by setting.
    pub(crate) fn or(self, defaults: Self) -> Self {
        Self {
            page_size: self.page_size.or(defaults.page_size),
            watch_list: self.watch_list.or(defaults.watch_list),
            min_watch_timeout: self.min_watch_timeout.or(defaults.min_watch_timeout),
            internal_error_retry: self.internal_error_retry.or(defaults.internal_error_retry),
            initial_events_deadline: self
                .initial_events_deadline
                .or(defaults.initial_events_deadline),
            backoff: self.backoff.or(defaults.backoff),
            error_handler: self.error_handler.or(defaults.error_handler),
        }
    }

    /// What holds in the end.
    pub(super) fn resolve(&self) -> Resolved {
        Resolved {
            page_size: self.page_size.filter(|page_size| *page_size > 0),
            watch_list: self.watch_list.unwrap_or_default(),
            min_watch_timeout: self.min_watch_timeout.unwrap_or(MIN_WATCH_TIMEOUT),
            internal_error_retry: self.internal_error_retry.unwrap_or_default(),
            initial_events_deadline: self
                .initial_events_deadline
                .unwrap_or(INITIAL_EVENTS_DEADLINE),
        }
    }

    /// Makes the user's backoff, if there is one.
    pub(super) fn custom_backoff(&self) -> Option<Box<dyn Backoff>> {
        self.backoff.as_ref().map(|make| make())
    }

    pub(crate) fn handler(&self) -> Option<ErrorHandler> {
        self.error_handler.clone()
    }
}

impl fmt::Debug for ReflectorConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorConfig")
            .field("page_size", &self.page_size)
            .field("watch_list", &self.watch_list)
            .field("min_watch_timeout", &self.min_watch_timeout)
            .field("internal_error_retry", &self.internal_error_retry)
            .field("initial_events_deadline", &self.initial_events_deadline)
            .finish_non_exhaustive()
    }
}
