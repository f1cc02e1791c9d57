//! [`Processor`]: the set of handlers of one informer.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::handler::OfObjects;
use super::listener::{Consumer, Listener, Receiver, Start};
use super::registration::{Owner, Status};
use super::schedule::Schedule;
use super::task::serve;
use super::{
    AddHandlerError, Current, EventHandler, HandlerOptions, HandlerRegistration, HandlerSyncError,
    Replay, Subscription,
};
use crate::base::home::HomeDrop;
use crate::base::sync::{Mutex, Notify};
use crate::event::{Event, HandlerId};
use crate::storage::Entry;

/// Set of handlers of one informer. Clones share it.
///
/// There is one distributor, the informer's controller. It writes a batch to the store, and then
/// distributes the batch with its generation, which is 1 for the first batch. Handlers can be added
/// and removed from any task at any time.
#[derive(Clone)]
pub(crate) struct Processor {
    shared: Arc<ProcessorShared>,
}

pub(super) struct ProcessorShared {
    informer: Arc<str>,
    default_resync: Duration,
    home_drop: Arc<HomeDrop<Arc<Entry>>>,
    state: Mutex<ProcessorState>,
    /// Wakes the run loop, its only waiter, when tasks wait to be spawned.
    added: Notify,
    /// Wakes the controller, its only waiter, when the next resync has changed.
    resync_changed: Notify,
}

struct ProcessorState {
    phase: Phase,
    /// Replaced as a whole, so that the distributor iterates without the lock.
    listeners: Arc<Vec<Arc<Listener>>>,
    /// Tasks of handlers that the run loop has not spawned yet.
    unspawned: Vec<(HandlerId, HandlerTask)>,
    schedule: Schedule,
    synced: bool,
    next_id: u64,
}

pub(super) type HandlerTask = BoxFuture<'static, ()>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Created,
    Running,
    Stopped,
}

// === impl Processor ===

impl Processor {
    /// Creates a processor without handlers, for the informer that logs name `informer`.
    ///
    /// `default_resync` is the resync period of handlers that do not set their own. Zero means
    /// never.
    #[must_use]
    pub(crate) fn new(informer: &str, default_resync: Duration) -> Self {
        Self {
            shared: Arc::new(ProcessorShared {
                informer: informer.into(),
                default_resync,
                home_drop: Arc::new(HomeDrop::new()),
                state: Mutex::new(ProcessorState {
                    phase: Phase::Created,
                    listeners: Arc::default(),
                    unspawned: Vec::new(),
                    schedule: Schedule::default(),
                    synced: false,
                    next_id: 0,
                }),
                added: Notify::new(),
                resync_changed: Notify::new(),
            }),
        }
    }

    /// Adds a handler. Its calls start when the processor runs.
    ///
    /// `current` returns the state that the handler starts from; `None` if there is none yet. It
    /// runs under the processor's lock, so that the handler neither misses a batch nor sees one
    /// twice. It must be fast and must not call the processor.
    ///
    /// # Errors
    ///
    /// Fails if the processor has stopped; `current` is not called then.
    pub(crate) fn add<H: EventHandler<Entry>>(
        &self,
        handler: H,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let spawn_later = |state: &mut ProcessorState, id, receiver| {
            let task = serve(receiver, handler).boxed();
            state.unspawned.push((id, task));
        };
        let options = options.named_after::<H>();
        self.attach(options, current, Consumer::Task, spawn_later)
            .map(|(registration, ())| registration)
    }

    /// Adds a handler of the objects, which must all be `T`s; see [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// Fails if the processor has stopped; `current` is not called then.
    pub(crate) fn add_of_objects<T: Send + Sync + 'static, H: EventHandler<T>>(
        &self,
        handler: H,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let options = options.named_after::<H>();
        self.add(OfObjects::new(handler), options, current)
    }

    /// Adds a subscription instead of a handler; see [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// Fails if the processor has stopped; `current` is not called then.
    pub(crate) fn subscribe(
        &self,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
    ) -> Result<Subscription, AddHandlerError> {
        let receive = |_: &mut ProcessorState, _, receiver| receiver;
        self.attach(options, current, Consumer::Stream, receive)
            .map(|(registration, receiver)| Subscription::new(receiver, registration))
    }

    fn attach<R>(
        &self,
        mut options: HandlerOptions,
        current: impl FnOnce() -> Option<Current>,
        consumer: Consumer,
        take_receiver: impl FnOnce(&mut ProcessorState, HandlerId, Receiver) -> R,
    ) -> Result<(HandlerRegistration, R), AddHandlerError> {
        let shared = &*self.shared;
        let name = options.name.take().unwrap_or_default();
        let status = Arc::new(Status::new(shared.informer.clone(), name));
        let period = options.resync_period.unwrap_or(shared.default_resync);

        let mut state = shared.state.lock();
        if state.phase == Phase::Stopped {
            return Err(AddHandlerError::Stopped);
        }
        let id = HandlerId::new(state.next_id);
        state.next_id += 1;
        let next_resync = state.schedule.next();
        let has_resyncs = state.schedule.add(id, period, Instant::now());
        let listener = Arc::new(Listener::new(
            id,
            status.clone(),
            Arc::clone(&shared.home_drop),
            consumer,
            has_resyncs,
            Start::new(&options, current(), state.synced),
        ));
        state.listeners = Arc::new(state.listeners.iter().chain([&listener]).cloned().collect());
        let resync_changed = state.schedule.next() != next_resync;
        let consumer_end = take_receiver(&mut state, id, Receiver::new(listener));
        drop(state);

        shared.added.notify_one();
        if resync_changed {
            shared.resync_changed.notify_one();
        }
        let registration = HandlerRegistration::new(id, status, self.owner());
        Ok((registration, consumer_end))
    }

    /// Returns the current handlers, in the order in which they were added.
    #[must_use]
    pub(crate) fn handlers(&self) -> Vec<HandlerRegistration> {
        let listeners = self.shared.listeners();
        let registration = |listener: &Arc<Listener>| {
            HandlerRegistration::new(listener.id(), listener.status().clone(), self.owner())
        };
        listeners.iter().map(registration).collect()
    }

    /// Passes `events` to every handler whose initial state does not contain them.
    ///
    /// `generation` is that of the batch, whose changes are in the store already. Events with
    /// [`Origin::Resync`](crate::Origin::Resync), which report unchanged objects, go only to
    /// handlers with a resync period.
    ///
    /// # Ordering
    ///
    /// Every handler sees batches, and the events in them, in the order of distribution. Waits for
    /// room only for [`Block`](super::WhenFull::Block) handlers, after all others have received the
    /// batch.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped while it waits, the rest of the batch is lost for the handlers that
    /// it waits for, but not for others.
    pub(crate) async fn distribute(&self, generation: u64, events: Vec<Event<Entry>>) {
        let listeners = self.shared.listeners();
        let receivers = listeners.iter().filter(|one| one.added_at() < generation);
        let mut events = VecDeque::from(events);
        let mut full = Vec::new();
        let receivers: Vec<_> = receivers.collect();
        for (left, listener) in (0..receivers.len()).rev().zip(receivers) {
            // The last one gets the events themselves: a reference that stays here would keep the
            // replaced objects from the threads that decoded them.
            let mut rest = match left {
                0 => mem::take(&mut events),
                _ => events.clone(),
            };
            listener.push(&mut rest);
            if !rest.is_empty() {
                full.push((listener, rest));
            }
        }
        for (listener, rest) in full {
            listener.push_all(rest).await;
        }
        let home_drop = &self.shared.home_drop;
        if home_drop.is_open() {
            // No handler has the objects that were replaced.
            for entry in events.iter().filter_map(Event::replaced) {
                let footprint = entry.footprint;
                home_drop.send(Arc::clone(entry), footprint.home(), footprint.bytes());
            }
        }
    }

    /// Returns the handler that [`distribute`](Self::distribute) waits for, with its informer.
    pub(crate) fn waits_for(&self) -> Option<String> {
        let listeners = self.shared.listeners();
        let full = listeners.iter().find(|listener| listener.is_awaited())?;
        let handler = &full.status().name;
        let informer = &self.shared.informer;
        Some(format!("handler {handler:?} of informer {informer:?}"))
    }

    /// Marks that the initial state has been distributed completely. A registration is synced when
    /// its handler reaches this mark.
    pub(crate) fn mark_synced(&self) {
        let listeners = {
            let mut state = self.shared.state.lock();
            state.synced = true;
            state.listeners.clone()
        };
        for listener in listeners.iter() {
            listener.push_synced();
        }
    }

    /// Returns the time at which the next handler is due for a resync; `None` if no handler ever
    /// is, or if the processor does not run yet.
    #[must_use]
    pub(crate) fn next_resync(&self) -> Option<Instant> {
        self.shared.state.lock().schedule.next()
    }

    /// Returns the handlers that are due at `now`. Their next times are whole periods later.
    #[must_use]
    pub(crate) fn take_due(&self, now: Instant) -> Vec<HandlerId> {
        self.shared.state.lock().schedule.take_due(now)
    }

    /// Returns `true` if any handler has a resync period, and so receives unchanged objects.
    #[must_use]
    pub(crate) fn has_resyncs(&self) -> bool {
        !self.shared.state.lock().schedule.is_empty()
    }

    /// Waits until [`next_resync`](Self::next_resync) may have changed: the processor started, or a
    /// handler with a shorter period was added. Supports one waiter at a time, the controller.
    ///
    /// # Cancel safety
    ///
    /// A change without a waiter is remembered; the next call returns at once.
    pub(crate) async fn resync_changed(&self) {
        self.shared.resync_changed.notified().await;
    }

    /// Shows the handlers `ids` every object again, after the notifications that already wait.
    ///
    /// `make` returns a snapshot of the whole state that was distributed so far. A handler whose
    /// previous resync has not started is skipped, because that resync shows the same objects.
    pub(crate) fn resync(&self, ids: &[HandlerId], make: impl Fn() -> Replay) {
        let listeners = self.shared.listeners();
        for listener in listeners
            .iter()
            .filter(|listener| ids.contains(&listener.id()))
        {
            listener.push_resync(make());
        }
    }

    /// Returns the way of replaced objects back to the threads that decoded them.
    pub(crate) fn home_drop(&self) -> &Arc<HomeDrop<Arc<Entry>>> {
        &self.shared.home_drop
    }

    /// Stops a processor that is not run, or whose run was dropped: no further call starts.
    pub(crate) fn stop(&self) {
        self.shared.stop();
    }

    pub(super) fn shared(&self) -> &Arc<ProcessorShared> {
        &self.shared
    }

    fn owner(&self) -> Weak<dyn Owner> {
        let weak: Weak<ProcessorShared> = Arc::downgrade(&self.shared);
        weak
    }
}

// === impl ProcessorShared ===

impl ProcessorShared {
    fn listeners(&self) -> Arc<Vec<Arc<Listener>>> {
        self.state.lock().listeners.clone()
    }

    /// Allows tasks to be spawned, and starts the resync timers.
    ///
    /// Returns `false` if the processor has been started or stopped before.
    pub(super) fn start(&self) -> bool {
        let mut state = self.state.lock();
        if state.phase != Phase::Created {
            return false;
        }
        state.phase = Phase::Running;
        state.schedule.start(Instant::now());
        drop(state);
        self.resync_changed.notify_one();
        true
    }

    /// Waits until a handler was added. For the run loop only.
    pub(super) async fn added(&self) {
        self.added.notified().await;
    }

    pub(super) fn take_unspawned(&self) -> Vec<(HandlerId, HandlerTask)> {
        mem::take(&mut self.state.lock().unspawned)
    }

    /// Prevents further calls and new handlers. Does not wait for running calls.
    pub(super) fn stop(&self) {
        let (listeners, unspawned) = {
            let mut state = self.state.lock();
            state.phase = Phase::Stopped;
            state.schedule.clear();
            (state.listeners.clone(), mem::take(&mut state.unspawned))
        };
        for listener in listeners.iter() {
            listener.close(HandlerSyncError::Stopped);
        }
        let _released_unlocked = mem::take(&mut self.state.lock().listeners);
        drop(unspawned);
    }
}

impl Owner for ProcessorShared {
    /// Closes a listener before removing it from the list, as [`stop`](Self::stop) does. So once a
    /// listener is not in the list, no further call of its handler starts.
    fn detach(&self, id: HandlerId) {
        let listeners = self.listeners();
        let Some(removed) = listeners.iter().find(|listener| listener.id() == id) else {
            return;
        };
        removed.close(HandlerSyncError::Removed);
        let unspawned = {
            let mut state = self.state.lock();
            let others = state
                .listeners
                .iter()
                .filter(|listener| listener.id() != id);
            state.listeners = Arc::new(others.cloned().collect());
            state.schedule.remove(id);
            state
                .unspawned
                .extract_if(.., |(unspawned, _)| *unspawned == id)
                .next()
        };
        drop(unspawned);
    }
}

impl Drop for ProcessorShared {
    fn drop(&mut self) {
        self.stop();
    }
}
