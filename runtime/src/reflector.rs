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
//! `machine` decides and is pure: outcomes and the time in, the next step out. `task` carries
//! the steps out and is the only part that waits. `collect` and `burst` hold what a list and a
//! watch bring until it is decoded.

mod backoff;
mod burst;
mod collect;
mod config;
mod decoding;
mod machine;
mod phase;
mod report;
mod retry;
mod schedule;
mod step;
mod task;
#[cfg(test)]
pub(crate) mod tests;
mod user_backoff;

pub use self::backoff::{Backoff, ExponentialBackoff};
pub use self::config::WatchListMode;
pub(crate) use self::config::{MakeBackoff, ReflectorSettings, make_backoff};
pub use self::report::ErrorHandler;
pub(crate) use self::report::Reporter;
pub(crate) use self::task::{Reflector, until};
pub use crate::status::ReflectorError;
