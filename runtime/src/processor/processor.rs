//! [`Processor`]: the handle to all handlers of one informer.

use std::any::type_name;
use std::fmt;
use std::mem;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::time::Instant;

use super::listener::{Consumer, Listener, Receiver};
use super::registration::{Owner, Status};
use super::schedule::Schedule;
use super::task::serve;
use super::{
    AddHandlerError, AlreadyRunError, Current, EventHandler, EventStream, Handle, HandlerOptions,
    HandlerRegistration, HandlerSyncError, Replay,
};
use crate::base::sync::{Mutex, Notify};
use crate::event::{Event, HandlerId};

/// All handlers of one informer. Clones are handles to the same ones.
///
/// There is one distributor, the informer's controller, which writes a batch to the store before
/// it distributes it under the batch's generation, 1 for the first. Handlers are added and removed
/// from anywhere at any time.
pub struct Processor<H: Handle> {
    shared: Arc<Shared<H>>,
}

pub(super) struct Shared<H: Handle> {
    informer: Arc<str>,
    default_resync: Duration,
    state: Mutex<State<H>>,
    /// Says to the run loop that tasks wait to be spawned. One waiter.
    added: Notify,
    /// Says to the controller that the next resync has moved. One waiter.
    resync_changed: Notify,
}

struct State<H: Handle> {
    phase: Phase,
    /// Replaced as a whole, so that the distributor walks it without the lock.
    listeners: Arc<Vec<Arc<Listener<H>>>>,
    /// The tasks of handlers that the run loop has not spawned yet.
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

impl<H: Handle> Processor<H> {
    /// A processor without handlers for the informer that logs know as `informer`.
    ///
    /// `default_resync` is the resync period of handlers that ask for none of their own; zero
    /// means never.
    #[must_use]
    pub fn new(informer: &str, default_resync: Duration) -> Self {
        Self {
            shared: Arc::new(Shared {
                informer: informer.into(),
                default_resync,
                state: Mutex::new(State {
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

    /// Adds a handler. It is called as soon as the processor runs.
    ///
    /// `current` reads the state that the handler starts from, `None` if there is none yet. It is
    /// called under the processor's lock, so that no batch is missed or seen twice: it must be
    /// quick and must not call the processor.
    ///
    /// # Errors
    ///
    /// The processor has stopped; `current` was not called.
    pub fn add<T: EventHandler<H>>(
        &self,
        handler: T,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current<H>>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let into_task = |receiver| serve(receiver, handler).boxed();
        let name = type_name::<T>();
        self.attach(
            name,
            options,
            current,
            Consumer::Task,
            |state, id, receiver| {
                state.unspawned.push((id, into_task(receiver)));
            },
        )
        .map(|(registration, ())| registration)
    }

    /// Adds a stream in place of a handler; see [`add`](Self::add).
    ///
    /// # Errors
    ///
    /// The processor has stopped; `current` was not called.
    pub fn stream(
        &self,
        options: HandlerOptions,
        current: impl FnOnce() -> Option<Current<H>>,
    ) -> Result<EventStream<H>, AddHandlerError> {
        let name = type_name::<EventStream<H>>();
        self.attach(
            name,
            options,
            current,
            Consumer::Stream,
            |_, _, receiver| receiver,
        )
        .map(|(registration, receiver)| EventStream::new(receiver, registration, self.owner()))
    }

    fn attach<R>(
        &self,
        default_name: &str,
        mut options: HandlerOptions,
        current: impl FnOnce() -> Option<Current<H>>,
        consumer: Consumer,
        take_receiver: impl FnOnce(&mut State<H>, HandlerId, Receiver<H>) -> R,
    ) -> Result<(HandlerRegistration, R), AddHandlerError> {
        let shared = &*self.shared;
        let name = options
            .name
            .take()
            .unwrap_or_else(|| default_name.to_owned());
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
            consumer,
            &options,
            has_resyncs,
            current(),
            state.synced,
        ));
        state.listeners = Arc::new(state.listeners.iter().chain([&listener]).cloned().collect());
        let resync_changed = state.schedule.next() != next_resync;
        let used = take_receiver(&mut state, id, Receiver::new(listener));
        drop(state);

        shared.added.notify_one();
        if resync_changed {
            shared.resync_changed.notify_one();
        }
        let registration = HandlerRegistration::new(id, status, self.owner());
        Ok((registration, used))
    }

    /// Removes a handler if it is one of this processor's; see [`HandlerRegistration::remove`].
    ///
    /// # Cancel safety
    ///
    /// As [`HandlerRegistration::remove`].
    pub async fn remove(&self, registration: &HandlerRegistration) {
        if registration.is_owned_by(&self.owner()) {
            registration.remove().await;
        }
    }

    /// The handlers there are now, in the order in which they were added.
    #[must_use]
    pub fn handlers(&self) -> Vec<HandlerRegistration> {
        let listeners = self.shared.listeners();
        let registration = |listener: &Arc<Listener<H>>| {
            HandlerRegistration::new(listener.id(), listener.status().clone(), self.owner())
        };
        listeners.iter().map(registration).collect()
    }

    /// Whether there is no handler, so that notifications need not be made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shared.state.lock().listeners.is_empty()
    }

    /// Hands `events` to every handler whose initial state does not contain them.
    ///
    /// `generation` is the batch's, and its changes are in the store already. Events with
    /// [`Origin::Resync`](crate::Origin::Resync), which tell of unchanged objects, go to handlers
    /// with a resync period only.
    ///
    /// # Ordering
    ///
    /// Every handler sees batches, and the events in them, in the order of distribution. Waits for
    /// room for [`Block`](super::WhenFull::Block) handlers only, after all others have theirs.
    ///
    /// # Cancel safety
    ///
    /// Dropped while it waits, the rest of the batch is lost to the handlers that it waits for, and
    /// to them only.
    pub async fn distribute(&self, generation: u64, events: &[Event<H>]) {
        let listeners = self.shared.listeners();
        let mut full = Vec::new();
        for listener in listeners.iter() {
            if listener.added_at() < generation {
                let rest = listener.push(events);
                if !rest.is_empty() {
                    full.push((listener, rest));
                }
            }
        }
        for (listener, rest) in full {
            listener.push_all(rest).await;
        }
    }

    /// Says that the initial state has been distributed whole: a registration is synced when its
    /// handler has come to this point.
    pub fn mark_synced(&self) {
        let listeners = {
            let mut state = self.shared.state.lock();
            state.synced = true;
            state.listeners.clone()
        };
        for listener in listeners.iter() {
            listener.push_synced();
        }
    }

    /// When the next handler is due for a resync; `None` if none ever is, or before the processor
    /// runs.
    #[must_use]
    pub fn next_resync(&self) -> Option<Instant> {
        self.shared.state.lock().schedule.next()
    }

    /// The handlers that are due at `now`. Their next time is a whole number of periods later.
    #[must_use]
    pub fn take_due(&self, now: Instant) -> Vec<HandlerId> {
        self.shared.state.lock().schedule.take_due(now)
    }

    /// Whether a handler has a resync period, and so is told of objects that came again unchanged.
    #[must_use]
    pub fn has_resyncs(&self) -> bool {
        !self.shared.state.lock().schedule.is_empty()
    }

    /// Waits until [`next_resync`](Self::next_resync) may have moved: the processor started, or a
    /// handler with a shorter period was added. For one waiter at a time, the controller.
    ///
    /// # Cancel safety
    ///
    /// A change while nobody waits is remembered; the next call returns at once.
    pub async fn resync_changed(&self) {
        self.shared.resync_changed.notified().await;
    }

    /// Shows the handlers `ids` every object again, behind what waits for them.
    ///
    /// `make` gives a snapshot of the whole state as distributed so far. A handler whose last resync
    /// has not begun is left out: that one shows it the same objects.
    pub fn resync(&self, ids: &[HandlerId], make: impl Fn() -> Box<dyn Replay<H>>) {
        let listeners = self.shared.listeners();
        for listener in listeners
            .iter()
            .filter(|listener| ids.contains(&listener.id()))
        {
            listener.push_resync(make());
        }
    }

    /// Stops a processor that nobody will run, or whose run was dropped: no call begins any more.
    pub(crate) fn stop(&self) {
        self.shared.stop();
    }

    pub(super) fn shared(&self) -> &Arc<Shared<H>> {
        &self.shared
    }

    fn owner(&self) -> Weak<dyn Owner> {
        let weak: Weak<Shared<H>> = Arc::downgrade(&self.shared);
        weak
    }
}

impl<H: Handle> Clone for Processor<H> {
    fn clone(&self) -> Self {
        Self {
            shared: self.shared.clone(),
        }
    }
}

impl<H: Handle> fmt::Debug for Processor<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        f.debug_struct("Processor")
            .field("informer", &self.shared.informer)
            .field("phase", &state.phase)
            .field("handlers", &state.listeners.len())
            .finish_non_exhaustive()
    }
}

// === impl Shared ===

impl<H: Handle> Shared<H> {
    fn listeners(&self) -> Arc<Vec<Arc<Listener<H>>>> {
        self.state.lock().listeners.clone()
    }

    /// Lets tasks be spawned, and starts the resync timers.
    pub(super) fn start(&self) -> Result<(), AlreadyRunError> {
        let mut state = self.state.lock();
        if state.phase != Phase::Created {
            return Err(AlreadyRunError::new());
        }
        state.phase = Phase::Running;
        state.schedule.start(Instant::now());
        drop(state);
        self.resync_changed.notify_one();
        Ok(())
    }

    /// Waits until a handler has been added. For the run loop only.
    pub(super) async fn added(&self) {
        self.added.notified().await;
    }

    pub(super) fn take_unspawned(&self) -> Vec<(HandlerId, HandlerTask)> {
        mem::take(&mut self.state.lock().unspawned)
    }

    /// Lets no call begin any more, and no handler be added. Calls that run are not waited for.
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

impl<H: Handle> Owner for Shared<H> {
    /// Closes a listener before it takes it out, as [`stop`](Self::stop) does: whoever does not find
    /// it any more can be sure that no call begins.
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

impl<H: Handle> Drop for Shared<H> {
    fn drop(&mut self) {
        self.stop();
    }
}
