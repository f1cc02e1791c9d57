//! Passes commands to the open watches.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

/// Maximum time that a command waits for the client.
const PATIENCE: Duration = Duration::from_secs(60);

/// Commands of one client at a time, and the client's progress.
#[derive(Debug, Default)]
pub(super) struct Conductor {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    /// Number of clients so far. Watches of earlier clients end.
    epoch: u64,
    /// Number of started lists, streaming lists included.
    lists: u64,
    /// Number of watches that wait for commands.
    watches: u64,
    orders: Vec<Order>,
    /// Requested parts of the paced events.
    parts: usize,
    /// Sending times of the last part.
    sent: Vec<u64>,
}

/// Command of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Sends all prepared events.
    Events,
    /// Sends a part of the paced events, at their rate.
    Paced(usize),
    /// Sends 410, and ends.
    Expire,
}

/// Position of an open watch in the commands.
#[derive(Debug)]
pub(super) struct Place {
    epoch: u64,
    next: usize,
}

// === impl State ===

impl State {
    /// Returns the order for the next part of the paced events.
    pub(super) fn next_part(&mut self) -> Order {
        self.sent.clear();
        self.parts += 1;
        Order::Paced(self.parts - 1)
    }
}

// === impl Conductor ===

impl Conductor {
    /// Starts with a new client: discards the previous client, and ends its watches.
    pub(super) fn reset(&self) {
        let mut state = self.state.lock();
        *state = State {
            epoch: state.epoch + 1,
            ..State::default()
        };
        self.changed.notify_all();
    }

    /// Counts a list that begins. Returns its number, starting at 1.
    pub(super) fn begin_list(&self) -> u64 {
        let mut state = self.state.lock();
        state.lists += 1;
        self.changed.notify_all();
        state.lists
    }

    /// Returns the number of the last started list.
    pub(super) fn lists(&self) -> u64 {
        self.state.lock().lists
    }

    /// Registers a watch that is ready for commands.
    pub(super) fn enter(&self) -> Place {
        let mut state = self.state.lock();
        state.watches += 1;
        self.changed.notify_all();
        Place {
            epoch: state.epoch,
            next: state.orders.len(),
        }
    }

    /// Waits for the watch's next command. Returns `None` if the client is gone.
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

    /// Gives an order to the watches, once a watch exists. Returns `None` if no watch appears.
    pub(super) fn order(&self, choose: impl FnOnce(&mut State) -> Order) -> Option<()> {
        let mut state = self.state.lock();
        self.wait(&mut state, |state| state.watches > 0)?;
        let order = choose(&mut state);
        state.orders.push(order);
        self.changed.notify_all();
        Some(())
    }

    /// Records the sending time of a paced event.
    pub(super) fn note_sent(&self, nanos: u64) {
        self.state.lock().sent.push(nanos);
    }

    /// Returns the sending times of the last part.
    pub(super) fn sent(&self) -> Vec<u64> {
        self.state.lock().sent.clone()
    }

    /// Ends the watch with 410, and waits until the client lists again. Returns the number of that
    /// list.
    pub(super) fn expire(&self) -> Option<u64> {
        let mut before = 0;
        self.order(|state| {
            before = state.lists;
            Order::Expire
        })?;
        let mut state = self.state.lock();
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
