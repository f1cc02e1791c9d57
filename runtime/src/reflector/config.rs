//! What the reflector is told of an informer's settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::backoff::Backoff;
use super::user_backoff::UserBackoff;

/// Sets whether the first state is streamed (KEP-3157) or listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchListMode {
    /// Streamed where source and server can; listed for 30 minutes after a refusal.
    #[default]
    Auto,
    /// Always listed.
    Never,
}

/// Makes the user's backoff for one kind of failure.
pub(crate) type MakeBackoff = Arc<dyn Fn() -> Box<dyn Backoff> + Send + Sync>;

/// Settings of one reflector, all of them made.
#[derive(Clone)]
pub(crate) struct ReflectorSettings {
    /// `None` for the default rule.
    pub(crate) page_size: Option<u32>,
    pub(crate) watch_list: WatchListMode,
    pub(crate) min_watch_timeout: Duration,
    pub(crate) internal_error_retry: Duration,
    pub(crate) initial_events_deadline: Duration,
    pub(crate) backoff: Option<MakeBackoff>,
}

/// Wraps the user's function so that a panic in the backoff it makes does no harm.
pub(crate) fn make_backoff<B: Backoff + 'static>(
    make: impl Fn() -> B + Send + Sync + 'static,
) -> MakeBackoff {
    Arc::new(move || Box::new(UserBackoff::new(&make)))
}

// === impl ReflectorSettings ===

impl ReflectorSettings {
    /// The shortest time after which a server is asked to close a watch; client-go's minimum.
    pub(crate) const MIN_WATCH_TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// A longer one is cut to this: no server keeps a watch for longer.
    pub(crate) const MAX_WATCH_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

    /// Makes the user's backoff, if there is one.
    pub(super) fn custom_backoff(&self) -> Option<Box<dyn Backoff>> {
        self.backoff.as_ref().map(|make| make())
    }
}

impl Default for ReflectorSettings {
    fn default() -> Self {
        Self {
            page_size: None,
            watch_list: WatchListMode::default(),
            min_watch_timeout: Self::MIN_WATCH_TIMEOUT,
            internal_error_retry: Duration::ZERO,
            initial_events_deadline: Duration::from_secs(30),
            backoff: None,
        }
    }
}

impl fmt::Debug for ReflectorSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReflectorSettings")
            .field("page_size", &self.page_size)
            .field("watch_list", &self.watch_list)
            .field("min_watch_timeout", &self.min_watch_timeout)
            .field("internal_error_retry", &self.internal_error_retry)
            .field("initial_events_deadline", &self.initial_events_deadline)
            .finish_non_exhaustive()
    }
}
