//! Turns a [`ListerWatcher`](crate::source::ListerWatcher) into deltas, and never gives up.
//!
//! ```text
//!              ┌────────────────────── backoff ◄───────────────────────┐
//!              ▼                                                        │ failed
//!   begin ──► LIST, page by page ──► WATCH from the list's version ────┤
//!     │                                ▲          │ closed: again, at  │
//!     └─────► streaming list ──────────┘          │ once, no list      │
//!              refused: LIST for 30 min           └────────────────────┘
//! ```
//!
//! `machine` decides and is pure: outcomes and the time in, the next step out. `drive` carries
//! the steps out, with all requests and timers. `collect` and `intake` take in what a list and a
//! watch bring: they have it decoded and hand it on.

mod backoff;
mod collect;
mod config;
mod decoding;
mod drive;
mod intake;
mod machine;
mod phase;
mod report;
mod retry;
mod schedule;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod user_backoff;

pub use self::backoff::{Backoff, ExponentialBackoff};
pub use self::config::WatchListMode;
pub(crate) use self::config::{MakeBackoff, ReflectorSettings, make_backoff};
pub(crate) use self::drive::Reflector;
pub(crate) use self::intake::{EntryMaker, MakeEntry};
pub use self::report::ErrorHandler;
pub(crate) use self::report::Reporter;
pub use crate::status::ReflectorError;
