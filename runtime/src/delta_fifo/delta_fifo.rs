//! [`DeltaFifo`]: the queue between reflector and controller.
//!
//! # Invariants
//!
//! 1. There is one consumer. Producers wait while the number of deltas or the size of their objects
//!    has reached the capacity. So one delta, a list of any size included, is accepted once there
//!    is room. A resync is always accepted, because the consumer itself pushes it.
//! 2. The lock guards pure state. No code waits, no user code runs and no object is dropped under it.

use std::collections::VecDeque;
use std::sync::Arc;

use derive_where::derive_where;
use tokio::time::Instant;

use super::arrivals::Arrivals;
use super::delta::{Batch, Delta};
use super::global::GlobalQueue;
use super::order::Order;
use super::per_key::KnownObjects;
use super::queue::Queue;
use crate::base::sync::{Mutex, Notify, wait_for};

/// Maximum number of deltas with distinct keys in a batch.
const BATCH: usize = 1000;

/// Default maximum number of queued deltas.
const DEFAULT_DELTAS: usize = 4096;
/// Default maximum size of the objects of queued deltas.
const DEFAULT_BYTES: usize = 16 << 20;

/// Bound of a [`DeltaFifo`]. Producers wait once one of the two numbers is reached.
///
/// A number of deltas converts into a capacity with the default number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Number of deltas. Default: 4096.
    pub deltas: usize,
    /// Size of the queued objects as the API server sent them, in bytes. Default: 16 MiB. An object
    /// or a list that is larger waits alone.
    pub bytes: usize,
}

/// Bounded queue of deltas with one consumer. Clones share the queue.
#[derive(Clone)]
#[derive_where(Debug)]
pub struct DeltaFifo {
    #[derive_where(skip)]
    shared: Arc<FifoShared>,
}

/// Error of a push into a closed queue. The delta is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the queue is closed")]
pub struct Closed;

struct FifoShared {
    state: Mutex<FifoState>,
    capacity: Capacity,
    /// Wakes the consumer when a batch can be popped.
    filled: Notify,
    /// Wakes producers when there is room, and waiters of [`DeltaFifo::processed`].
    drained: Notify,
}

struct FifoState {
    queue: Box<dyn Queue>,
    arrivals: Arrivals,
    closed: bool,
    /// `true` while the consumer has a batch that it may not have processed yet.
    is_processing: bool,
}

// === impl DeltaFifo ===

impl DeltaFifo {
    /// Creates an empty queue in front of the store `known`.
    ///
    /// A full queue makes producers wait. A number as `capacity` is a number of deltas.
    #[must_use]
    pub fn new(order: Order, capacity: impl Into<Capacity>, known: Arc<dyn KnownObjects>) -> Self {
        Self {
            shared: Arc::new(FifoShared {
                state: Mutex::new(FifoState {
                    queue: order.queue(known),
                    arrivals: Arrivals::default(),
                    closed: false,
                    is_processing: false,
                }),
                capacity: capacity.into(),
                filled: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    /// Appends a delta, and waits for room. [`Delta::Sync`] never waits.
    ///
    /// # Errors
    ///
    /// Fails if the queue is closed.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has appended nothing.
    pub async fn push(&self, delta: Delta) -> Result<(), Closed> {
        self.push_all(VecDeque::from([delta])).await
    }

    /// Appends deltas in order like [`push`](Self::push), and wakes the consumer once.
    ///
    /// # Errors
    ///
    /// Fails if the queue is closed.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes may have appended the first of the deltas.
    pub(crate) async fn push_all(&self, mut deltas: VecDeque<Delta>) -> Result<(), Closed> {
        let pushed = || {
            let pushed = self.shared.try_push(&mut deltas);
            // Only the consumer makes room, so it has to be awake.
            self.shared.filled.notify_waiters();
            (pushed.is_err() || deltas.is_empty()).then_some(pushed)
        };
        wait_for(&self.shared.drained, pushed).await
    }

    /// Removes and returns the leading deltas, and waits for the first one. Returns `None` once the
    /// queue is closed.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it completes has removed nothing.
    pub async fn pop(&self) -> Option<Batch> {
        self.pop_with_arrival().await.map(|(batch, _)| batch)
    }

    /// Like [`pop`](Self::pop), with the arrival time of the oldest delta.
    pub(crate) async fn pop_with_arrival(&self) -> Option<(Batch, Option<Instant>)> {
        let popped = || {
            let mut state = self.shared.state.lock();
            let waiting = state.queue.len();
            let batch = state.queue.pop(BATCH).map(|batch| {
                let popped = waiting.saturating_sub(state.queue.len());
                (batch, state.arrivals.popped(popped))
            });
            let was_processing = std::mem::replace(&mut state.is_processing, batch.is_some());
            let ends = batch.is_none() && state.closed;
            drop(state);
            if batch.is_some() || was_processing {
                self.shared.drained.notify_waiters();
            }
            if ends { Some(None) } else { batch.map(Some) }
        };
        wait_for(&self.shared.filled, popped).await
    }

    /// Waits until the consumer has processed every pushed delta, that is, until it asks for the
    /// next batch and the queue is empty.
    ///
    /// # Errors
    ///
    /// Fails if the queue is closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub(crate) async fn processed(&self) -> Result<(), Closed> {
        let processed = || {
            let state = self.shared.state.lock();
            if state.closed {
                return Some(Err(Closed));
            }
            (state.queue.len() == 0 && !state.is_processing).then_some(Ok(()))
        };
        wait_for(&self.shared.drained, processed).await
    }

    /// Closes the queue and drops its content, as an informer does when it stops. Waiting producers
    /// fail, and the consumer receives `None`.
    ///
    /// client-go does not process the queue of a stopped informer either, but keeps its content in
    /// memory as long as the informer is referenced.
    pub fn close(&self) {
        let dropped = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::replace(&mut state.queue, Box::new(GlobalQueue::default()))
        };
        drop(dropped);
        self.shared.filled.notify_waiters();
        self.shared.drained.notify_waiters();
    }

    /// Returns the bound from which on producers wait.
    #[must_use]
    pub fn capacity(&self) -> Capacity {
        self.shared.capacity
    }

    /// Returns the number of queued deltas.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.state.lock().queue.len()
    }

    /// Returns the size of the objects of the queued deltas, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.shared.state.lock().queue.bytes()
    }

    /// Returns `true` if no delta is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

// === impl Capacity ===

impl Capacity {
    fn is_reached_by(&self, queue: &dyn Queue) -> bool {
        queue.len() >= self.deltas || queue.bytes() >= self.bytes
    }
}

impl Default for Capacity {
    fn default() -> Self {
        DEFAULT_DELTAS.into()
    }
}

impl From<usize> for Capacity {
    fn from(deltas: usize) -> Self {
        let bytes = DEFAULT_BYTES;
        Self { deltas, bytes }
    }
}

// === impl FifoShared ===

impl FifoShared {
    /// Takes the deltas for which there is room, and appends them.
    fn try_push(&self, deltas: &mut VecDeque<Delta>) -> Result<(), Closed> {
        // Dropped after the lock is released.
        let mut discarded = Vec::new();
        let mut state = self.state.lock();
        if state.closed {
            return Err(Closed);
        }
        while let Some(delta) = deltas.pop_front() {
            let is_full = self.capacity.is_reached_by(&*state.queue);
            if is_full && !matches!(delta, Delta::Sync(_)) {
                deltas.push_front(delta);
                break;
            }
            let waiting = state.queue.len();
            discarded.append(&mut state.queue.push(delta));
            let pushed = state.queue.len().saturating_sub(waiting);
            state.arrivals.pushed(pushed, Instant::now);
        }
        Ok(())
    }
}
