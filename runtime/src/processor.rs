//! The processor: distributes the notifications of one informer to its handlers.
//!
//! ```text
//! controller ── distribute(generation, events) ──► mailbox ──► task ──► EventHandler
//!            ── mark_synced, resync            ├─► mailbox ──► task ──► EventHandler
//!                                              └─► mailbox ───────────► EventStream
//! ```
//!
//! Each handler has a bounded mailbox and a task of its own, so a slow or panicking handler does
//! not delay the others. The handler's [`WhenFull`] decides what happens when its mailbox is full:
//! [`WhenFull::Coalesce`] merges per key, [`WhenFull::Block`] makes the informer wait. Objects that
//! a handler receives again (the initial adds of a late handler, a resync) are not queued one by
//! one: one snapshot takes their place in the mailbox.
//!
//! A handler is a type that implements [`EventHandler`], a closure over [`Event`](crate::Event),
//! [`EventHandlerFuncs`], an [`async_handler`], or an [`EventStream`] that the caller polls.
//!
//! # Invariants
//!
//! 1. Each handler receives notifications in the order of distribution. There is no order between
//!    handlers.
//! 2. The lock of a processor is taken before the lock of a mailbox, never after it. No handler
//!    runs and no object is dropped under either lock.
//! 3. A listener that has left the processor is closed: no call begins after a removal or the stop.
//! 4. A mailbox without a consumer is closed. Dropping the consumer ends the registration, whether
//!    by removal, stop, an aborted task, or a dropped stream.

mod config;
mod error;
mod filter;
mod handler;
mod listener;
mod mailbox;
mod merge;
mod processor;
mod registration;
mod replay;
mod run;
mod schedule;
mod stream;
mod task;
#[cfg(test)]
pub(crate) mod tests;

pub use self::config::{HandlerOptions, WhenFull};
pub use self::error::{AddHandlerError, HandlerSyncError};
pub use self::filter::{FilteringEventHandler, filtered};
pub use self::handler::{AsyncEventHandler, EventHandler, EventHandlerFuncs, async_handler};
use self::mailbox::{Item, Mailbox, Pushed};
pub(crate) use self::processor::Processor;
pub use self::registration::HandlerRegistration;
pub(crate) use self::replay::{Current, Replay};
use self::replay::{ReplayKind, Replaying};
pub use self::stream::EventStream;
pub(crate) use self::stream::Subscription;
