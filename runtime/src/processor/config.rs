//! [`HandlerOptions`]: options of one handler.

use std::any::type_name;
use std::num::NonZeroUsize;
use std::time::Duration;

const DEFAULT_CAPACITY: NonZeroUsize = NonZeroUsize::new(1024).unwrap();
const DEFAULT_CAPACITY_BYTES: NonZeroUsize = NonZeroUsize::new(4 << 20).unwrap();

/// Options of one handler.
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
    pub(super) capacity_bytes: NonZeroUsize,
    pub(super) when_full: WhenFull,
}

/// Policy for a notification to a handler whose mailbox is full.
///
/// client-go has no counterpart: its buffer is unbounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WhenFull {
    /// Merges the notification with a waiting one of the same key, if there is one. Memory is
    /// bounded by the number of keys, and the informer does not wait.
    ///
    /// An add and an update become an add of the new object. Two updates become one, from the first
    /// old object to the last new one. An update and a deletion become the deletion. An add and a
    /// deletion cancel out. A deletion and an add stay two notifications. A key keeps its place in
    /// the order.
    #[default]
    Coalesce,
    /// Makes the informer wait for room, and with it the informer's other handlers. Notifications
    /// are not merged.
    ///
    /// A call of such a handler must not wait for progress of its own informer, such as a version
    /// in its cache: once the mailbox is full, that deadlocks.
    Block,
}

// === impl HandlerOptions ===

impl HandlerOptions {
    /// Creates the default options: the name of the handler's type, the informer's resync period, a
    /// capacity of 1024 notifications or 4 MiB, and [`WhenFull::Coalesce`].
    pub fn new() -> Self {
        Self {
            name: None,
            resync_period: None,
            capacity: DEFAULT_CAPACITY,
            capacity_bytes: DEFAULT_CAPACITY_BYTES,
            when_full: WhenFull::default(),
        }
    }

    /// Sets the name of the handler in logs and metrics. Default: the name of its type.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the name to that of the type `H`, unless a name is set.
    pub(crate) fn named_after<H>(mut self) -> Self {
        self.name.get_or_insert_with(|| type_name::<H>().to_owned());
        self
    }

    /// Sets the period after which the handler sees every object again. Default: the informer's
    /// default resync period.
    ///
    /// Zero means never. Periods below one second are raised to one second. The period is exact,
    /// whereas client-go rounds it to a multiple of the informer's period.
    pub fn resync_period(mut self, period: Duration) -> Self {
        self.resync_period = Some(period);
        self
    }

    /// Sets the number of waiting notifications from which on [`when_full`](Self::when_full)
    /// applies. Default: 1024.
    pub fn capacity(mut self, capacity: NonZeroUsize) -> Self {
        self.capacity = capacity;
        self
    }

    /// Sets the size of objects from which on [`when_full`](Self::when_full) applies, in bytes as
    /// the API server sent them. Default: 4 MiB.
    ///
    /// Counts the objects that are not in the cache any more: the old object of an update, and a
    /// deleted object. It applies in addition to [`capacity`](Self::capacity).
    pub fn capacity_bytes(mut self, bytes: NonZeroUsize) -> Self {
        self.capacity_bytes = bytes;
        self
    }

    /// Sets the policy for a full mailbox. Default: [`WhenFull::Coalesce`].
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
