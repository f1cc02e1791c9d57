//! [`Listener`]: the distributor's end of a handler's mailbox. [`Receiver`]: the consumer's end.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use tokio::task::coop;

use super::registration::Status;
use super::{
    Current, HandlerOptions, HandlerSyncError, Item, Mailbox, Pushed, Replay, ReplayKind, Replaying,
};
use crate::base::home::HomeDrop;
use crate::base::sync::{Mutex, Notify, wait_for};
use crate::event::{Event, HandlerId, Origin};
use crate::storage::Entry;

/// Mailbox of one handler, as used by the distributor.
pub(super) struct Listener {
    id: HandlerId,
    /// Generation of the last batch that the handler's initial state contains.
    added_at: u64,
    /// `true` if the handler has a resync period.
    has_resyncs: bool,
    consumer: Consumer,
    status: Arc<Status>,
    home_drop: Arc<HomeDrop<Arc<Entry>>>,
    state: Mutex<ListenerState>,
    /// Wakes distributors that wait for room.
    room: Notify,
}

/// State that a handler starts from.
pub(super) struct Start {
    mailbox: Mailbox,
    added_at: u64,
}

/// Consumer of a mailbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consumer {
    /// Task that calls a handler. The handler has ended when the task has ended.
    Task,
    /// Stream that the user polls. The stream has ended when the listener is closed.
    Stream,
}

struct ListenerState {
    mailbox: Mailbox,
    /// Reason for which no more items will arrive.
    closed: Option<HandlerSyncError>,
    /// Wakes the consumer.
    waker: Option<Waker>,
    /// `true` if a distributor waits for room.
    is_awaited: bool,
}

/// Consumer's end of a mailbox. There is one per mailbox. Dropping it ends the registration.
pub(super) struct Receiver {
    listener: Arc<Listener>,
    replaying: Option<Replaying>,
}

// === impl Start ===

impl Start {
    /// Creates a mailbox that starts with `current`, followed by the sync marker if the informer is
    /// synced.
    pub(super) fn new(
        options: &HandlerOptions,
        current: Option<Current>,
        mut synced: bool,
    ) -> Self {
        let mut mailbox = Mailbox::new(options.capacity, options.capacity_bytes, options.when_full);
        let mut added_at = 0;
        if let Some(current) = current {
            added_at = current.generation;
            synced |= current.synced;
            // Cannot fail: only a resync can be returned.
            let _queued = mailbox.push_replay(ReplayKind::Initial, current.replay);
        }
        if synced {
            mailbox.push_synced();
        }
        Self { mailbox, added_at }
    }
}

// === impl Listener ===

impl Listener {
    pub(super) fn new(
        id: HandlerId,
        status: Arc<Status>,
        home_drop: Arc<HomeDrop<Arc<Entry>>>,
        consumer: Consumer,
        has_resyncs: bool,
        start: Start,
    ) -> Self {
        Self {
            id,
            added_at: start.added_at,
            has_resyncs,
            consumer,
            status,
            home_drop,
            state: Mutex::new(ListenerState {
                mailbox: start.mailbox,
                closed: None,
                waker: None,
                is_awaited: false,
            }),
            room: Notify::new(),
        }
    }

    pub(super) fn id(&self) -> HandlerId {
        self.id
    }

    pub(super) fn added_at(&self) -> u64 {
        self.added_at
    }

    pub(super) fn status(&self) -> &Arc<Status> {
        &self.status
    }

    /// Returns `true` if a distributor waits for room.
    pub(super) fn is_awaited(&self) -> bool {
        self.state.lock().is_awaited
    }

    /// Takes as many of `events` as there is room for; all of them once the listener is closed. A
    /// handler without a resync period does not receive unchanged objects.
    pub(super) fn push(&self, events: &mut VecDeque<Event<Entry>>) {
        // Dropped after the lock is released, because a merge displaces objects.
        let mut displaced = Vec::new();
        let mut coalesced = 0;
        let mut state = self.state.lock();
        if state.closed.is_some() {
            displaced.extend(events.drain(..));
            return;
        }
        while let Some(event) = events.pop_front() {
            if event.origin() == Origin::Resync && !self.has_resyncs {
                displaced.push(event);
                continue;
            }
            match state.mailbox.push(event) {
                Pushed::Queued => {}
                Pushed::Merged(event) => {
                    coalesced += 1;
                    displaced.push(event);
                }
                Pushed::Cancelled(first, last) => {
                    coalesced += 2;
                    displaced.extend([first, last]);
                }
                Pushed::Full(event) => {
                    events.push_front(event);
                    state.is_awaited = true;
                    break;
                }
            }
        }
        self.status
            .counters
            .set_pending(state.mailbox.pending(), state.mailbox.bytes());
        let waker = state.waker.take();
        drop(state);
        self.status.counters.coalesced.add(coalesced);
        for event in displaced {
            self.send_home(self.replaced(&event));
        }
        wake(waker);
    }

    /// Pushes `events`, and waits for room as often as needed, or until the listener is closed.
    ///
    /// # Cancel safety
    ///
    /// Not cancel safe: events that were not pushed yet are lost for this handler.
    pub(super) async fn push_all(&self, mut events: VecDeque<Event<Entry>>) {
        let pushed = || {
            self.push(&mut events);
            events.is_empty().then_some(())
        };
        wait_for(&self.room, pushed).await;
    }

    /// Pushes a resync, unless one is waiting that has not started: that one shows the same
    /// objects.
    pub(super) fn push_resync(&self, replay: Replay) {
        let pushed = self.change(|mailbox| mailbox.push_replay(ReplayKind::Resync, replay));
        if let Some(Err(_refused)) = pushed {
            self.status.counters.resyncs_skipped.increment();
        }
    }

    pub(super) fn push_synced(&self) {
        self.change(Mailbox::push_synced);
    }

    /// Changes the mailbox, and wakes the consumer. `None` if the mailbox is closed.
    fn change<R>(&self, change: impl FnOnce(&mut Mailbox) -> R) -> Option<R> {
        let mut state = self.state.lock();
        if state.closed.is_some() {
            return None;
        }
        let result = change(&mut state.mailbox);
        let waker = state.waker.take();
        drop(state);
        wake(waker);
        Some(result)
    }

    /// Drops waiting items, and wakes the consumer and waiting distributors.
    pub(super) fn close(&self, reason: HandlerSyncError) {
        let mut state = self.state.lock();
        if state.closed.is_some() {
            return;
        }
        state.closed = Some(reason);
        let dropped = state.mailbox.take();
        let waker = state.waker.take();
        self.status.counters.set_pending(0, 0);
        drop(state);
        drop(dropped);
        self.room.notify_waiters();
        wake(waker);
        if self.consumer == Consumer::Stream {
            self.status.end(reason);
        }
    }

    /// Returns `true` if the backlog is worth a warning: more than `limit` notifications, or a full
    /// mailbox.
    pub(super) fn is_backed_up(&self, limit: usize) -> bool {
        let state = self.state.lock();
        state.mailbox.pending() > limit || state.mailbox.is_full()
    }

    /// Returns the object that `event` replaced, in a burst of events.
    pub(super) fn replaced(&self, event: &Event<Entry>) -> Option<Arc<Entry>> {
        let replaced = event.replaced().filter(|_| self.home_drop.is_open());
        replaced.cloned()
    }

    /// Sends a replaced object to the thread that decoded it, which drops it.
    pub(super) fn send_home(&self, replaced: Option<Arc<Entry>>) {
        if let Some(entry) = replaced {
            let footprint = entry.footprint;
            self.home_drop
                .send(entry, footprint.home(), footprint.bytes());
        }
    }

    fn closed(&self) -> Option<HandlerSyncError> {
        self.state.lock().closed
    }

    /// Returns the next item; `None` if the listener is closed.
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Option<Item>> {
        let mut state = self.state.lock();
        if state.closed.is_some() {
            return Poll::Ready(None);
        }
        let Some(item) = state.mailbox.pop() else {
            state.waker = Some(cx.waker().clone());
            return Poll::Pending;
        };
        self.status
            .counters
            .set_pending(state.mailbox.pending(), state.mailbox.bytes());
        // Waking at the first free place would make both sides alternate for each event.
        let has_room = state.is_awaited && state.mailbox.is_half_empty();
        if has_room {
            state.is_awaited = false;
        }
        drop(state);
        if has_room {
            self.room.notify_waiters();
        }
        Poll::Ready(Some(item))
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        waker.wake();
    }
}

// === impl Receiver ===

impl Receiver {
    pub(super) fn new(listener: Arc<Listener>) -> Self {
        Self {
            listener,
            replaying: None,
        }
    }

    pub(super) fn status(&self) -> &Arc<Status> {
        self.listener.status()
    }

    pub(super) fn listener(&self) -> &Listener {
        &self.listener
    }

    /// Returns the next notification; `None` if the listener is closed.
    ///
    /// Requesting a notification acknowledges the previous one. Sets `has_waited` if the next one is
    /// not there at once.
    pub(super) async fn next(&mut self, has_waited: &mut bool) -> Option<Event<Entry>> {
        poll_fn(|cx| {
            let next = self.poll_next(cx);
            *has_waited |= next.is_pending();
            next
        })
        .await
    }

    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event<Entry>>> {
        // A mailbox is not a tokio resource. Without this budget, a handler that never waits would
        // keep its worker thread as long as there are notifications.
        let budget = ready!(coop::poll_proceed(cx));
        let next = loop {
            if let Some(replaying) = &mut self.replaying {
                let event = match self.listener.closed() {
                    None => replaying.next_event(),
                    Some(_) => None,
                };
                if event.is_some() {
                    break event;
                }
                self.replaying = None;
            }
            match ready!(self.listener.poll_pop(cx)) {
                None => break None,
                Some(Item::Event(event)) => break Some(event),
                Some(Item::Replay(replaying)) => self.replaying = Some(replaying),
                Some(Item::Synced) => self.status().set_synced(),
            }
        };
        budget.made_progress();
        Poll::Ready(next)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // Already closed by a removal or by the stop, unless the task was aborted.
        self.listener.close(HandlerSyncError::Stopped);
        let reason = self.listener.closed().unwrap_or(HandlerSyncError::Stopped);
        self.status().end(reason);
    }
}
