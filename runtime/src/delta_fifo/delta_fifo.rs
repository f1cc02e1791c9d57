//! [`DeltaFifo`]: the queue that reflector and controller share.
//!
//! # Invariants
//!
//! 1. One consumer. Producers wait while `len >= capacity`. A list is let in whatever its size, once
//!    there is room; a resync always is, because the consumer itself pushes it.
//! 2. The lock guards pure state; nothing waits, and no object is dropped, under it. The one user
//!    code that runs under it is a [`Compression`].

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::Arc;

use tokio::time::Instant;
use tracing::warn;

use super::arrivals::Arrivals;
use super::compression::{Compression, DedupDeltas};
use super::delta::{Batch, Delta, KnownObjects, Order};
use super::per_key::{Discarded, PerKeyQueue};
use crate::base::sync::{Mutex, Notify};

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
    order: Order,
    capacity: usize,
    /// Woken when something can be taken.
    filled: Notify,
    /// Woken when there is room again, and when everything is processed.
    drained: Notify,
}

struct State<H> {
    queue: Queue<H>,
    arrivals: Arrivals,
    closed: bool,
    /// The consumer has a batch that it may not have processed yet.
    is_processing: bool,
    /// How often a compression broke its rules.
    refused: u64,
}

enum Queue<H> {
    Global(GlobalQueue<H>),
    PerKey(PerKeyQueue<H>, Arc<dyn KnownObjects>),
}

/// Deltas in the order in which they came: [`Order::Global`]. Pure.
#[derive(Debug)]
pub(super) struct GlobalQueue<H> {
    deltas: VecDeque<Delta<H>>,
    /// The first list has left the queue.
    populated: bool,
}

// === impl DeltaFifo ===

impl<H: Clone> DeltaFifo<H> {
    /// An empty queue in front of the store `known`, which only [`Order::PerKey`] looks at.
    ///
    /// `capacity` counts deltas; a full queue makes producers wait.
    #[must_use]
    pub fn new(order: Order, capacity: usize, known: Arc<dyn KnownObjects>) -> Self {
        match order {
            Order::Global => Self::from_queue(Queue::Global(GlobalQueue::new()), capacity),
            Order::PerKey => Self::per_key(capacity, known, Arc::new(DedupDeltas)),
        }
    }

    /// An empty queue of [`Order::PerKey`] with a compression of one's own.
    #[must_use]
    pub fn per_key(
        capacity: usize,
        known: Arc<dyn KnownObjects>,
        compression: Arc<dyn Compression<H>>,
    ) -> Self {
        Self::from_queue(
            Queue::PerKey(PerKeyQueue::new(compression), known),
            capacity,
        )
    }

    fn from_queue(queue: Queue<H>, capacity: usize) -> Self {
        let order = match &queue {
            Queue::Global(_) => Order::Global,
            Queue::PerKey(..) => Order::PerKey,
        };
        Self {
            shared: Arc::new(Shared {
                state: Mutex::new(State {
                    queue,
                    arrivals: Arrivals::default(),
                    closed: false,
                    is_processing: false,
                    refused: 0,
                }),
                order,
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
    pub async fn push(&self, delta: Delta<H>) -> Result<(), Closed> {
        self.append(delta).await?;
        self.announce();
        Ok(())
    }

    /// As [`push`](Self::push), but the consumer is not woken for it: [`announce`](Self::announce)
    /// wakes it for many deltas at once. A consumer that is awake takes it before that.
    ///
    /// # Errors and cancel safety
    ///
    /// As of [`push`](Self::push).
    pub(crate) async fn append(&self, mut delta: Delta<H>) -> Result<(), Closed> {
        // Mostly there is room, and nothing to wait for.
        match self.shared.try_push(delta) {
            Ok(()) => return Ok(()),
            Err(Refused::Closed) => return Err(Closed),
            Err(Refused::Full(back)) => delta = back,
        }
        loop {
            let drained = self.shared.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            match self.shared.try_push(delta) {
                Ok(()) => return Ok(()),
                Err(Refused::Closed) => return Err(Closed),
                Err(Refused::Full(back)) => delta = back,
            }
            // Nobody else makes room.
            self.announce();
            drained.await;
        }
    }

    /// Wakes the consumer, if it waits.
    pub(crate) fn announce(&self) {
        self.shared.filled.notify_waiters();
    }

    /// Takes the leading deltas, waiting for one. `None` once the queue is closed and empty.
    ///
    /// # Cancel safety
    ///
    /// A future that is dropped before it ends has taken nothing.
    pub async fn pop(&self) -> Option<Batch<H>> {
        self.pop_with_arrival().await.map(|(batch, _)| batch)
    }

    /// As [`pop`](Self::pop), with the time at which the oldest of the deltas came.
    pub(crate) async fn pop_with_arrival(&self) -> Option<(Batch<H>, Option<Instant>)> {
        loop {
            let filled = self.shared.filled.notified();
            tokio::pin!(filled);
            filled.as_mut().enable();
            {
                let mut state = self.shared.state.lock();
                let waiting = state.queue.len();
                if let Some(batch) = state.queue.pop(BATCH) {
                    let left = waiting.saturating_sub(state.queue.len());
                    let arrived = state.arrivals.left(left);
                    state.is_processing = true;
                    drop(state);
                    self.shared.drained.notify_waiters();
                    return Some((batch, arrived));
                }
                let was_processing = std::mem::take(&mut state.is_processing);
                if state.closed {
                    return None;
                }
                drop(state);
                if was_processing {
                    self.shared.drained.notify_waiters();
                }
            }
            filled.await;
        }
    }

    /// Waits until the consumer has processed every delta that was pushed: it has come back for
    /// more and found nothing.
    ///
    /// # Errors
    ///
    /// The queue is closed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub(crate) async fn processed(&self) -> Result<(), Closed> {
        loop {
            let drained = self.shared.drained.notified();
            tokio::pin!(drained);
            drained.as_mut().enable();
            {
                let state = self.shared.state.lock();
                if state.closed {
                    return Err(Closed);
                }
                if state.queue.len() == 0 && !state.is_processing {
                    return Ok(());
                }
            }
            drained.await;
        }
    }

    /// Lets nothing more in: producers that wait are told so, the consumer still gets what is in
    /// the queue, and then `None`.
    ///
    /// client-go's counterpart is `Queue.Close`.
    pub fn close(&self) {
        self.shared.state.lock().closed = true;
        self.shared.filled.notify_waiters();
        self.shared.drained.notify_waiters();
    }

    /// Closes the queue and drops what is in it, as an informer does when it stops: the consumer
    /// gets `None` at once.
    ///
    /// In client-go what is in the queue of a stopped informer is not processed either, and stays in
    /// memory for as long as anybody has the informer.
    pub fn discard(&self) {
        let dropped = {
            let mut state = self.shared.state.lock();
            state.closed = true;
            std::mem::replace(&mut state.queue, Queue::Global(GlobalQueue::new()))
        };
        drop(dropped);
        self.shared.filled.notify_waiters();
        self.shared.drained.notify_waiters();
    }

    /// How many deltas it holds before producers wait.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shared.capacity
    }

    /// In which order deltas leave it.
    #[must_use]
    pub fn order(&self) -> Order {
        self.shared.order
    }

    /// How many deltas wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.state.lock().queue.len()
    }

    /// How often what a [`Compression`] returned was not taken, because it broke the rules.
    #[must_use]
    pub fn refused_compressions(&self) -> u64 {
        self.shared.state.lock().refused
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
        let waiting = state.queue.len();
        let discarded = match &mut state.queue {
            Queue::Global(queue) => {
                queue.push(delta);
                None
            }
            Queue::PerKey(queue, known) => Some(queue.push(delta, &**known)),
        };
        let refused_before = state.refused;
        let refused = discarded.iter().flat_map(|discarded| &discarded.refused);
        state.refused += refused.fold(0, |count, _| count + 1);
        let came = state.queue.len().saturating_sub(waiting);
        state.arrivals.came(came, Instant::now);
        drop(state);
        report(discarded, refused_before);
        Ok(())
    }
}

/// Logs what a compression did wrong: the first time, the second, the fourth and so on.
fn report<H>(discarded: Option<Discarded<H>>, mut count: u64) {
    for (key, refusal) in discarded
        .into_iter()
        .flat_map(|discarded| discarded.refused)
    {
        count += 1;
        if count.is_power_of_two() {
            warn!(%key, %refusal, count, "compression refused, keeping the deltas");
        }
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

// === impl GlobalQueue ===

impl<H> GlobalQueue<H> {
    pub(super) fn new() -> Self {
        Self {
            deltas: VecDeque::new(),
            populated: false,
        }
    }

    pub(super) fn push(&mut self, delta: Delta<H>) {
        self.deltas.push_back(delta);
    }

    pub(super) fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Takes up to `max` leading deltas with distinct keys, or one that is about the whole store.
    pub(super) fn pop(&mut self, max: usize) -> Option<Batch<H>> {
        let first = self.deltas.front()?;
        let completes_initial = !self.populated && matches!(first, Delta::ReplacedAll(_));
        self.populated |= completes_initial;
        let count = self.leading(max);
        let deltas = self.deltas.drain(..count).collect();
        Some(Batch {
            deltas,
            is_initial: completes_initial,
            completes_initial,
            resource_version: None,
        })
    }

    /// How many deltas lead the queue, at most `max` but one at least, whose keys are distinct; what
    /// has no key goes alone.
    fn leading(&self, max: usize) -> usize {
        let mut keys = self.deltas.iter().map_while(Delta::key).take(max);
        let Some(first) = keys.next() else {
            return 1;
        };
        // A change that comes alone, or is followed by one of the same key, needs no set.
        let Some(second) = keys.next().filter(|second| *second != first) else {
            return 1;
        };
        let mut seen = HashSet::from([first, second]);
        2 + keys.take_while(|key| seen.insert(key)).count()
    }
}
