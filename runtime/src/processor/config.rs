//! [`HandlerOptions`]: how one handler wants to be served.

use std::num::NonZeroUsize;
use std::time::Duration;

const DEFAULT_CAPACITY: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// How one handler wants to be served.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// # use informer_runtime::processor::{HandlerOptions, WhenFull};
///
/// let options = HandlerOptions::new()
///     .name("audit")
///     .resync_period(Duration::from_secs(600))
///     .when_full(WhenFull::Block);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct HandlerOptions {
    pub(super) name: Option<String>,
    pub(super) resync_period: Option<Duration>,
    pub(super) capacity: NonZeroUsize,
    pub(super) when_full: WhenFull,
}

/// What happens to a notification for a handler whose mailbox is full.
///
/// client-go has no counterpart: its buffer grows without a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhenFull {
    /// It is merged with the one that waits for the same key, if there is one; memory is bounded
    /// by the number of keys, and nobody waits.
    ///
    /// An add and an update become an add of the new object, two updates one from the first old
    /// object to the last new one, an update and a deletion the deletion, an add and a deletion
    /// nothing. A deletion and an add stay two notifications. A key keeps its place.
    #[default]
    Coalesce,
    /// The informer waits for room, and with it the informer's other handlers. Nothing is merged.
    ///
    /// A call of such a handler must not wait for progress of its own informer, such as a version
    /// in its cache: once the mailbox is full, both wait for ever.
    Block,
}

// === impl HandlerOptions ===

impl HandlerOptions {
    /// The defaults: named after the handler's type, the informer's resync period, room for 1024
    /// notifications, [`WhenFull::Coalesce`].
    pub fn new() -> Self {
        Self {
            name: None,
            resync_period: None,
            capacity: DEFAULT_CAPACITY,
            when_full: WhenFull::default(),
        }
    }

    /// What logs and metrics call the handler; by default the name of its type.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// How often the handler is shown every object again; by default as often as the informer's
    /// default says.
    ///
    /// Zero means never; a shorter period than a second means a second. Otherwise exact, unlike
    /// client-go's, which rounds it to the informer's.
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.resync_period = Some(period);
        self
    }

    /// How many notifications may wait before [`when_full`](Self::when_full) applies; 1024 by
    /// default.
    pub fn capacity(mut self, capacity: NonZeroUsize) -> Self {
        self.capacity = capacity;
        self
    }

    /// What happens when the mailbox is full; [`WhenFull::Coalesce`] by default.
    pub fn when_full(mut self, when_full: WhenFull) -> Self {
        self.when_full = when_full;
        self
    }
}

impl Default for HandlerOptions {
    fn default() -> Self {
        Self::new()
    }
}
