//! [`DeltaFifo`]: the queue that reflector and controller share.
//!
//! # Invariants
//!
//! 1. One consumer. Producers wait while `len >= capacity`. A list is let in whatever its size, once
//!    there is room; a resync always is, because the consumer itself pushes it.
//! 2. The lock guards pure state; nothing waits, and no object is dropped, under it.

use std::fmt;
use std::sync::Arc;

use super::delta::{Batch, Delta, KnownObjects, Order};
use super::global::GlobalQueue;
use super::per_key::PerKeyQueue;
use crate::sync::{Mutex, Notify};

/// How many deltas with distinct keys one batch holds at most.
const BATCH: usize = 1000;

/// A bounded queue of deltas with one consumer. Clones share it.
pub struct DeltaFifo<H> {
    shared: Arc<Shared<H>>,
}

/// Says that the queue was closed; the delta is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the queue is closed")]
pub struct Closed;

struct Shared<H> {
    state: Mutex<State<H>>,
    capacity: usize,
    /// Woken when something can be taken.
    filled: Notify,
    /// Woken when there is room again.
    drained: Notify,
}

struct State<H> {
    queue: Queue<H>,
    closed: bool,
}

enum Queue<H> {
    Global(GlobalQueue<H>),
    PerKey(PerKeyQueue<H>, Arc<dyn KnownObjects>),
}

// === impl DeltaFifo ===

impl<H: Clone> DeltaFifo<H> {
    /// An empty queue in front of the store `known`, which only [`Order::PerKey`] looks at.
    ///
    /// `capacity` counts deltas; a full queue makes producers wait.
    #[must_use]
    pub fn new(order: Order, capacity: usize, known: Arc<dyn KnownObjects>) -> Self {
        let queue = match order {
            Order::Global => Queue::Global(GlobalQueue::new()),
            Order::PerKey => Queue::PerKey(PerKeyQueue::new(), known),
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    queue,
                    closed: false,
                }),
                capacity,
                filled: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    /// Appends a delta, waiting for room. [`Delta::Sync`] never waits.
    ///
    /// # Errors
    ///
    /// The queue is closed.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it ends has appended nothing.
    pub async fn push(&self, mut delta: Delta<H>) -> Result<(), Closed> {
        loop {
            let drained = self.shared.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            match self.shared.try_push(delta) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(Closed),
                Err(Refused::Full(back)) => delta = back,
            }
            drained.await;
        }
    }

    /// Takes the leading deltas, waiting for one. `None` once the queue is closed.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it ends has taken nothing.
    pub async fn pop(&self) -> Option<Batch<H>> {
        loop {
            let filled = self.shared.filled.notified();
            tokio::pin!(filled);
            filled.as_mut().enable();
            {
                let mut state = self.shared.state.lock();
                if state.closed {
                    return None;
                }
                if let Some(batch) = state.queue.pop(BATCH) {
                    drop(state);
                    self.shared.drained.notify_waiters();
                    return Some(batch);
                }
            }
            filled.await;
        }
    }

    /// Ends the queue: what is in it is dropped, and all who wait return.
    pub fn close(&self) {
        let dropped = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::replace(&mut state.queue, Queue::Global(GlobalQueue::new()))
        };
        drop(dropped);
        self.shared.filled.notify_waiters();
        self.shared.drained.notify_waiters();
    }

    /// How many deltas wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.state.lock().queue.len()
    }

    /// Whether no delta waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<H> Clone for DeltaFifo<H> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<H: Clone> fmt::Debug for DeltaFifo<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeltaFifo")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

// === impl Shared ===

/// Why a delta was not appended.
enum Refused<H> {
    Closed,
    Full(Delta<H>),
}

impl<H: Clone> Shared<H> {
    fn try_push(&self, delta: Delta<H>) -> Result<(), Refused<H>> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Refused::Closed);
        }
        if !matches!(delta, Delta::Sync(_)) && state.queue.len() >= self.capacity {
            return Err(Refused::Full(delta));
        }
        match &mut state.queue {
            Queue::Global(queue) => queue.push(delta),
            Queue::PerKey(queue, known) => queue.push(delta, &**known),
        }
        drop(state);
        self.filled.notify_waiters();
        Ok(())
    }
}

// === impl Queue ===

impl<H: Clone> Queue<H> {
    fn len(&self) -> usize {
        match self {
            Self::Global(queue) => queue.len(),
            Self::PerKey(queue, _) => queue.len(),
        }
    }

    fn pop(&mut self, max: usize) -> Option<Batch<H>> {
        match self {
            Self::Global(queue) => queue.pop(max),
            Self::PerKey(queue, _) => queue.pop(max),
        }
    }
}
