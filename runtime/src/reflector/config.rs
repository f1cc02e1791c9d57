//! Settings of a reflector.

use std::sync::Arc;
use std::time::Duration;

use derive_where::derive_where;

use super::backoff::Backoff;
use super::peers::Peers;
use super::user_backoff::UserBackoff;

/// Mode of the initial state: streamed (KEP-3157) or listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WatchListMode {
    /// Streams if source and server support it. After a refusal, lists for 30 minutes.
    #[default]
    Auto,
    /// Always lists.
    Never,
}

/// Creates the user's backoff for one kind of failure.
pub(crate) type MakeBackoff = Arc<dyn Fn() -> Box<dyn Backoff> + Send + Sync>;

/// Settings of one reflector, with all defaults applied.
#[derive(Clone)]
#[derive_where(Debug)]
pub(crate) struct ReflectorSettings {
    /// `None` for the default rule.
    pub(crate) page_size: Option<u32>,
    pub(crate) watch_list: WatchListMode,
    pub(crate) min_watch_timeout: Duration,
    pub(crate) internal_error_retry: Duration,
    pub(crate) initial_events_deadline: Duration,
    #[derive_where(skip)]
    pub(crate) backoff: Option<MakeBackoff>,
    /// State that the reflectors of a factory share.
    pub(crate) peers: Peers,
}

/// Wraps the user's function, and contains panics of the function and of its backoffs.
pub(crate) fn make_backoff<B: Backoff + 'static>(
    make: impl Fn() -> B + Send + Sync + 'static,
) -> MakeBackoff {
    Arc::new(move || Box::new(UserBackoff::new(&make)))
}

// === impl ReflectorSettings ===

impl ReflectorSettings {
    /// Minimum time after which a server is asked to close a watch, as in client-go.
    pub(crate) const MIN_WATCH_TIMEOUT: Duration = Duration::from_secs(5 * 60);
    /// Maximum of that time. Servers do not keep watches longer.
    pub(crate) const MAX_WATCH_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

    /// Creates the user's backoff, if one is set.
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
            peers: Peers::default(),
        }
    }
}
