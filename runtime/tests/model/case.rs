//! Cases: settings and operations that are generated from a seed, and shrunk if they fail.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use fastrand::Rng;
use informer_runtime::WatchListMode;
use informer_runtime::delta_fifo::Order;
use informer_runtime::processor::{HandlerOptions, WhenFull};

use crate::server::{Fault, Interruption, Request};

/// Number of possible object names.
const NAMES: u8 = 8;
/// Maximum number of operations in a case.
const OPS: usize = 80;

/// Case of the model test.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) ops: Vec<Op>,
}

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) order: Order,
    pub(crate) watch_list: WatchListMode,
    /// `true` if the server supports streaming lists.
    pub(crate) is_supported: bool,
    pub(crate) page_size: u32,
    pub(crate) queue_capacity: usize,
    /// Resync period in seconds; zero means never.
    pub(crate) resync: u64,
    /// Number of objects before the start.
    pub(crate) objects: u8,
    /// `true` if the informer caches only objects with an even value.
    pub(crate) is_filtered: bool,
    /// End of the case.
    pub(crate) end: End,
}

/// End of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// After all handlers have caught up.
    Settled,
    /// In the middle: by its token, by a stop, or by dropping the run.
    Cancelled,
    Stopped,
    Dropped,
}

/// Operation of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Put(u8),
    Delete(u8),
    /// Deletes and recreates an object: the same name, another uid.
    Recreate(u8),
    /// Writes content that does not decode.
    Spoil(u8),
    Fail(Request, Fault),
    LoseBookmark,
    Interrupt(Interruption),
    Compact,
    Bookmark,
    Rewind,
    Join(Kind),
    /// Removes the handler that was added this many handlers before the last one.
    Leave(u8),
    /// Lets this many milliseconds pass.
    Pass(u32),
    /// Lets all handlers catch up, and compares.
    Settle,
}

/// Kind of a handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) capacity: u8,
    pub(crate) when_full: WhenFull,
    /// Duration of a call in milliseconds. Zero means a synchronous handler.
    pub(crate) delay: u16,
    /// Resync period in seconds; zero means never.
    pub(crate) resync: u8,
    pub(crate) is_stream: bool,
}

// === impl Case ===

impl Case {
    pub(crate) fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed);
        let settings = Settings::new(&mut rng);
        let count = rng.usize(1..=OPS);
        let ops = (0..count).map(|_| Op::new(&mut rng)).collect();
        Self {
            seed,
            settings,
            ops,
        }
    }

    /// Shrinks the case: removes operations as long as the rest still `fails`.
    pub(crate) fn shrink(mut self, fails: impl Fn(&Self) -> bool) -> Self {
        let mut size = self.ops.len() / 2;
        while size > 0 {
            let mut start = 0;
            while start < self.ops.len() {
                let mut smaller = self.clone();
                smaller.ops.drain(start..(start + size).min(self.ops.len()));
                if fails(&smaller) {
                    self = smaller;
                } else {
                    start += size;
                }
            }
            size /= 2;
        }
        self
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:?}", self.settings)?;
        for op in &self.ops {
            writeln!(f, "  {op:?}")?;
        }
        Ok(())
    }
}

// === impl Settings ===

impl Settings {
    fn new(rng: &mut Rng) -> Self {
        let order = if rng.bool() {
            Order::Global
        } else {
            Order::PerKey
        };
        let watch_list = if rng.bool() {
            WatchListMode::Auto
        } else {
            WatchListMode::Never
        };
        Self {
            order,
            watch_list,
            is_supported: rng.u8(..4) > 0,
            page_size: rng.u32(1..6),
            queue_capacity: rng.usize(1..20),
            resync: if rng.bool() { 0 } else { rng.u64(1..20) },
            objects: rng.u8(..NAMES),
            is_filtered: rng.u8(..3) == 0,
            end: match rng.u8(..12) {
                0 => End::Cancelled,
                1 => End::Stopped,
                2 => End::Dropped,
                _ => End::Settled,
            },
        }
    }
}

// === impl Op ===

impl Op {
    fn new(rng: &mut Rng) -> Self {
        match rng.u8(..100) {
            0..28 => Self::Put(rng.u8(..NAMES)),
            28..40 => Self::Delete(rng.u8(..NAMES)),
            40..45 => Self::Recreate(rng.u8(..NAMES)),
            45..49 => Self::Spoil(rng.u8(..NAMES)),
            49..57 => Self::fail(rng),
            57..59 => Self::LoseBookmark,
            59..66 => Self::Interrupt(match rng.u8(..4) {
                0 => Interruption::Closed,
                1 => Interruption::Cut,
                2 => Interruption::Expired,
                _ => Interruption::InternalError,
            }),
            66..69 => Self::Compact,
            69..71 => Self::Bookmark,
            71 => Self::Rewind,
            72..79 => Self::Join(Kind::new(rng)),
            79..83 => Self::Leave(rng.u8(..4)),
            83..98 => Self::Pass(match rng.u8(..3) {
                0 => rng.u32(..4),
                1 => rng.u32(..400),
                _ => rng.u32(..20_000),
            }),
            _ => Self::Settle,
        }
    }

    fn fail(rng: &mut Rng) -> Self {
        const CODES: [u16; 7] = [403, 404, 410, 422, 429, 500, 504];
        let request = match rng.u8(..3) {
            0 => Request::List,
            1 => Request::Watch,
            _ => Request::Stream,
        };
        let after = rng.u8(..6);
        let fault = match rng.u8(..8) {
            0..3 => Fault::Refused(CODES[rng.usize(..CODES.len())]),
            3 => Fault::Unreachable,
            4 => Fault::Cut(after),
            5 if request == Request::List => Fault::Cut(after),
            5 => Fault::Ended(after),
            6 => Fault::Garbage(after),
            _ => Fault::Stalled(after),
        };
        Self::Fail(request, fault)
    }
}

// === impl Kind ===

impl Kind {
    /// Handler that receives everything at once.
    pub(crate) const PLAIN: Self = Self {
        capacity: 255,
        when_full: WhenFull::Coalesce,
        delay: 0,
        resync: 0,
        is_stream: false,
    };

    fn new(rng: &mut Rng) -> Self {
        Self {
            capacity: rng.u8(1..6),
            when_full: if rng.u8(..3) == 0 {
                WhenFull::Block
            } else {
                WhenFull::Coalesce
            },
            delay: match rng.u8(..3) {
                0 => 0,
                1 => rng.u16(..5),
                _ => rng.u16(..500),
            },
            resync: if rng.bool() { 0 } else { rng.u8(1..10) },
            is_stream: rng.u8(..4) == 0,
        }
    }

    pub(crate) fn options(self) -> HandlerOptions {
        let capacity = NonZeroUsize::new(self.capacity.into()).unwrap();
        let options = HandlerOptions::new()
            .capacity(capacity)
            .when_full(self.when_full);
        if self.resync == 0 {
            return options;
        }
        options.resync_period(Duration::from_secs(self.resync.into()))
    }
}
