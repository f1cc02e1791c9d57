//! Tells the open watches what to send and when.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// For how long an order waits for a client to do its part.
const PATIENCE: Duration = Duration::from_secs(60);

/// The orders of one client at a time, and what it has done so far.
#[derive(Debug, Default)]
pub(super) struct Conductor {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Counts clients; watches of an earlier one end.
    epoch: u64,
    /// Lists begun, streaming ones among them.
    lists: u64,
    /// Watches that wait for orders.
    watches: u64,
    orders: Vec<Order>,
    /// Parts of the paced events that were ordered.
    parts: usize,
    /// When the events of the last part were sent.
    sent: Vec<u64>,
}

/// What a watch is to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// All prepared events.
    Events,
    /// A part of the paced ones, at their rate.
    Paced(usize),
    /// 410 and the end.
    Expire,
}

/// An open watch's place among the orders.
#[derive(Debug)]
pub(super) struct Place {
    epoch: u64,
    next: usize,
}

// === impl Conductor ===

impl Conductor {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Begins with a new client: forgets the one before and ends its watches.
    pub(super) fn reset(&self) {
        let mut state = self.state.lock();
        *state = State {
            epoch: state.epoch + 1,
            ..State::default()
        };
        self.changed.notify_all();
    }

    /// Counts a list that begins; gives its number, from 1 on.
    pub(super) fn begin_list(&self) -> u64 {
        let mut state = self.state.lock();
        state.lists += 1;
        self.changed.notify_all();
        state.lists
    }

    /// The number of the list that began last.
    pub(super) fn lists(&self) -> u64 {
        self.state.lock().lists
    }

    /// A watch is ready for orders.
    pub(super) fn enter(&self) -> Place {
        let mut state = self.state.lock();
        state.watches += 1;
        self.changed.notify_all();
        Place {
            epoch: state.epoch,
            next: state.orders.len(),
        }
    }

    /// The watch's next order, waiting for it; `None` when its client is gone.
    pub(super) fn next(&self, place: &mut Place) -> Option<Order> {
        let mut state = self.state.lock();
        self.changed.wait_while(&mut state, |state| {
            state.epoch == place.epoch && state.orders.len() == place.next
        });
        if state.epoch != place.epoch {
            return None;
        }
        let order = state.orders.get(place.next).copied()?;
        place.next += 1;
        if order == Order::Expire {
            state.watches -= 1;
        }
        Some(order)
    }

    /// Has the prepared events sent, as soon as there is a watch. `None` if there is none.
    pub(super) fn send_events(&self) -> Option<()> {
        let mut state = self.state.lock();
        self.wait(&mut state, |state| state.watches > 0)?;
        state.orders.push(Order::Events);
        self.changed.notify_all();
        Some(())
    }

    /// Has the next part of the paced events sent.
    pub(super) fn send_paced(&self) -> Option<()> {
        let mut state = self.state.lock();
        self.wait(&mut state, |state| state.watches > 0)?;
        let part = state.parts;
        state.parts += 1;
        state.sent.clear();
        state.orders.push(Order::Paced(part));
        self.changed.notify_all();
        Some(())
    }

    /// A paced event is about to be sent.
    pub(super) fn note_sent(&self, nanos: u64) {
        self.state.lock().sent.push(nanos);
    }

    /// When the events of the last part were sent.
    pub(super) fn sent(&self) -> Vec<u64> {
        self.state.lock().sent.clone()
    }

    /// Ends the watch with 410 and waits until the client lists again; gives the list's number.
    pub(super) fn expire(&self) -> Option<u64> {
        let mut state = self.state.lock();
        self.wait(&mut state, |state| state.watches > 0)?;
        let before = state.lists;
        state.orders.push(Order::Expire);
        self.changed.notify_all();
        self.wait(&mut state, |state| state.lists > before)?;
        Some(state.lists)
    }

    fn wait(
        &self,
        state: &mut parking_lot::MutexGuard<'_, State>,
        condition: impl Fn(&State) -> bool,
    ) -> Option<()> {
        let waited = self
            .changed
            .wait_while_for(state, |state| !condition(state), PATIENCE);
        (!waited.timed_out()).then_some(())
    }
}
