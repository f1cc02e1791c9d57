//! A work queue for controllers, the counterpart of client-go's `util/workqueue`.
//!
//! A [`WorkQueue`] holds each item at most once, never hands an item to two workers at a time, and
//! requeues an item that was added while a worker processed it, as soon as that worker is done. A
//! controller that enqueues the keys of changed objects therefore processes each key sequentially
//! and never misses the last change. Items can be added after a delay, or after the delay that a
//! [`RateLimiter`] assigns to an item that keeps failing.
//!
//! ```text
//!            add ──────────────────────────────┐
//!   add_after ──► delay (by time) ── due ──────┤
//!                    ▲                         ▼
//! add_rate_limited ──┘ + limiter         dedup + order ──► get ──► Item ── dropped: done
//!                                              ▲                     │
//!                                              └── added meanwhile ──┘
//! ```
//!
//! A queue has no background task: each call moves the items that are due, and waiting workers wake
//! themselves for the next due item.
//!
//! # Priorities
//!
//! A queue is first in, first out, as in client-go. A queue made by [`WorkQueue::priority`], or
//! with a custom [`PriorityOrder`], hands out items of higher priority first. The many unchanged
//! objects of a start or a resync then do not delay a change, and changes cannot delay those
//! objects for ever. The handlers of this crate ([`enqueue_into`]) give unchanged objects
//! [`LOW_PRIORITY`]; custom handlers do so with [`WorkQueue::add_with`].
//!
//! # Examples
//!
//! ```
//! # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
//! use std::convert::Infallible;
//! use informer::ObjectKey;
//! # use informer_controller::workqueue::WorkQueue;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue: WorkQueue<ObjectKey> = WorkQueue::rate_limited("foos");
//! queue.add(ObjectKey::namespaced("default", "example"));
//! queue.shut_down(); // queued items are still handed out
//! queue
//!     .run_workers(4, |key: ObjectKey| async move {
//!         println!("reconciling {key}");
//!         Ok::<(), Infallible>(())
//!     })
//!     .await;
//! assert!(queue.is_empty());
//! # }
//! ```
//!
//! # Limitations
//!
//! The queue is bounded only by the number of distinct items, as in client-go: adding never waits,
//! so event handlers never wait. A limiter remembers an item until the item is forgotten.
//!
//! # Invariants
//!
//! 1. An item is being processed at most once and is queued at most once, never both.
//! 2. The lock of the state and the lock of the limiter are never held together. Under the lock of
//!    the state, the only user code that runs is `Hash`, `Eq` and `Clone` of an item and the
//!    methods of the order. Wake-ups follow after the lock is released.
//! 3. Making an item available wakes one waiter. Bringing the next due time forward, or shutting
//!    the queue down, wakes all waiters.

mod builder;
mod dedup;
mod delay;
mod enqueue;
mod enqueue_mapped;
mod held_keys;
mod item;
mod key_queue;
mod limit;
mod machine;
mod metrics;
mod outcome;
pub mod predicate;
mod priority;
mod reason;
mod record;
mod work_queue;
mod workers;

pub use self::builder::WorkQueueBuilder;
pub use self::dedup::{Fifo, QueueOrder};
pub(crate) use self::enqueue::is_ignored;
pub use self::enqueue::{EnqueueInto, EnqueueOwner, enqueue_into, enqueue_owner};
pub use self::enqueue_mapped::{EnqueueMapped, enqueue_mapped};
pub(crate) use self::held_keys::{HeldKey, HeldKeys};
pub use self::item::QueueItem;
pub use self::key_queue::KeyQueue;
pub use self::limit::{
    Bucket, ItemExponentialFailure, ItemFastSlow, MaxOf, RateLimiter, WithMaxWait,
    default_controller, per_item,
};
pub use self::metrics::{Durations, WorkQueueMetrics};
pub use self::outcome::{Action, Again, Failure, Outcome, ReconcileError};
pub(crate) use self::predicate::{Changed, or_deletion};
pub use self::priority::{LOW_PRIORITY, PriorityOrder};
pub(crate) use self::reason::RelationName;
pub use self::reason::{Reasons, ReconcileReason};
pub use self::record::{RecordedCall, Recorder};
pub(crate) use self::work_queue::KnownItems;
pub use self::work_queue::{AddOptions, Item, WorkQueue};
pub(crate) use self::workers::Stop;

#[cfg(test)]
mod tests;
