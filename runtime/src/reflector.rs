//! Turns a [`ListerWatcher`](crate::source::ListerWatcher) into deltas, and retries without limit.
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
//! `machine` decides and is pure: it maps outcomes and the current time to the next step. `drive`
//! executes the steps, with all requests and timers. `collect` and `intake` receive the objects of
//! a list and of a watch, decode them and pass them on.

mod backoff;
mod bookmarks;
mod collect;
mod config;
mod decoding;
mod drive;
mod entry_maker;
mod gate;
mod intake;
mod machine;
mod part;
mod peers;
mod phase;
mod report;
mod retry;
mod room;
mod schedule;
mod step;
#[cfg(test)]
pub(crate) mod tests;
mod turn;
mod user_backoff;

pub use self::backoff::{Backoff, ExponentialBackoff};
pub use self::config::WatchListMode;
pub(crate) use self::config::{MakeBackoff, ReflectorSettings, make_backoff};
pub(crate) use self::drive::Reflector;
pub(crate) use self::entry_maker::EntryMaker;
pub(crate) use self::peers::{LoadTurns, Peers};
pub use self::report::ErrorHandler;
pub(crate) use self::report::Reporter;
pub(crate) use self::room::Room;
pub(crate) use self::turn::Turns;
pub use crate::status::ReflectorError;
