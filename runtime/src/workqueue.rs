//! A work queue for controllers: what client-go's `util/workqueue` is to Go.
//!
//! A [`WorkQueue`] holds each item at most once, hands no item to two workers at a time, and queues
//! an item that was added while in work again when that work is done. So a controller that enqueues
//! the key of whatever changed does each key's work one at a time, and the last change is never
//! missed. Items can be added after a delay, or after the delay that a [`RateLimiter`] gives to an
//! item that keeps failing.
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
//! There is no task behind a queue: whoever calls moves what is due, and waiting workers wake for
//! the next due item themselves.
//!
//! # Priorities
//!
//! A queue is first in, first out, as client-go's. One made by [`WorkQueue::priority`], or with a
//! [`PriorityOrder`] of one's own, hands out what has the higher priority first: then the thousands of unchanged objects that a start or a resync brings
//! do not hold up a change, and neither do changes hold those up for ever. The handlers of this
//! crate ([`enqueue_into`]) give them [`LOW_PRIORITY`] anyway; with handlers of
//! one's own it is [`WorkQueue::add_with`] that does.
//!
//! # Examples
//!
//! ```
//! # extern crate informer_runtime as informer;
//! use std::convert::Infallible;
//! use informer::ObjectKey;
//! # use informer_runtime::workqueue::WorkQueue;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let queue: WorkQueue<ObjectKey> = WorkQueue::rate_limited("foos");
//! queue.add(ObjectKey::namespaced("default", "example"));
//! queue.shut_down(); // what is queued still comes out
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
//! The queue is not bounded but by the number of different items, as client-go's: adding never
//! waits, so that event handlers never do. A limiter remembers an item until it is forgotten.
//!
//! # Invariants
//!
//! 1. An item is in work at most once, and in the order at most once, never in both.
//! 2. Two locks, the state's and the limiter's, are never held together. Under the state's lock runs
//!    no user code but `Hash`, `Eq`, `Clone` of an item and the order's methods; wakes and the
//!    metrics recorder come after it.
//! 3. Whoever makes an item available wakes one waiter, whoever brings the next due time forward or
//!    ends the queue wakes all of them.

mod builder;
mod controller;
mod dedup;
mod delay;
mod enqueue;
mod item;
mod key_queue;
mod limit;
mod machine;
mod metrics;
mod outcome;
mod priority;
mod recorder;
mod work_queue;
mod workers;

pub use self::builder::WorkQueueBuilder;
pub use self::controller::{Lookup, Missing, SkipMissing, WithMissing, Workers};
pub use self::dedup::{Fifo, QueueOrder};
pub(crate) use self::enqueue::is_of;
pub use self::enqueue::{EnqueueInto, EnqueueOwner, HasController, enqueue_into, enqueue_owner};
pub use self::item::QueueItem;
pub use self::key_queue::KeyQueue;
pub use self::limit::{
    Bucket, ItemExponentialFailure, ItemFastSlow, MaxOf, RateLimiter, Unlimited, WithMaxWait,
    default_controller, default_item_based,
};
pub use self::metrics::{Durations, WorkQueueMetrics};
pub use self::outcome::{Action, ReconcileError};
pub use self::priority::{LOW_PRIORITY, PriorityOrder};
pub use self::recorder::MetricsRecorder;
pub use self::work_queue::{AddOptions, Item, WorkQueue};

#[cfg(test)]
mod tests;
