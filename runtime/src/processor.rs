//! The processor: distributes the notifications of one informer to its handlers.
//!
//! ```text
//! controller ── distribute(generation, events) ──► mailbox ──► task ──► EventHandler
//!            ── mark_synced, resync            ├─► mailbox ──► task ──► EventHandler
//!                                              └─► mailbox ───────────► EventStream
//! ```
//!
//! Every handler has a bounded mailbox and a task of its own, so that a slow or panicking one
//! delays no other. What happens when a mailbox is full is the handler's choice:
//! [`WhenFull::Coalesce`] merges per key, [`WhenFull::Block`] holds the informer back. Objects that
//! a handler has to be shown again (a late handler's initial adds, a resync) are not queued one by
//! one: a snapshot waits in the mailbox in their place.
//!
//! A handler is a type that implements [`EventHandler`], a closure over [`Event`](crate::Event),
//! [`EventHandlerFuncs`], an [`async_handler`], or an [`EventStream`] to be polled.
//!
//! # Invariants
//!
//! 1. Handlers see notifications in the order of distribution; between handlers there is no order.
//! 2. The lock of a processor is taken before that of a mailbox, never after. No handler runs and
//!    no object is dropped under either.
//! 3. A listener that is not found any more is closed: no call begins after a removal or the stop.
//! 4. A mailbox without its consumer is closed: whoever ends the consumer (removal, stop, an
//!    aborted task, a dropped stream) ends the registration, by dropping the consumer.

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
pub use self::error::{AddHandlerError, AlreadyRunError, HandlerSyncError};
pub use self::filter::{FilteringEventHandler, filtered};
pub use self::handler::{
    AsyncEventHandler, EventHandler, EventHandlerFuncs, Handle, async_handler,
};
pub use self::mailbox::{Item, Mailbox, Pushed};
pub use self::processor::Processor;
pub use self::registration::HandlerRegistration;
pub use self::replay::{Current, Replay, ReplayKind, Replaying};
pub use self::stream::EventStream;
