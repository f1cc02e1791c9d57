//! State that the reflectors of one factory share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::Semaphore;

use super::gate::Gate;
use super::room::Room;
use super::turn::Turns;
use crate::storage::Account;

/// State that the reflectors of one factory share, which all use one client. By default, a reflector
/// shares with no other. Clones share the state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peers {
    pub(crate) turns: Turns,
    pub(crate) gate: Gate,
    pub(crate) room: Room,
    pub(crate) account: Arc<Account>,
    pub(crate) loads: LoadTurns,
    /// `true` if first lists must not come from the server's watch cache at "0", which may lack recent
    /// writes.
    pub(crate) lists_consistently: Arc<AtomicBool>,
}

/// Bound on the number of loads of evicted objects at the same time. The others wait in order.
#[derive(Debug, Clone)]
pub(crate) struct LoadTurns(pub(crate) Arc<Semaphore>);

/// Maximum number of loads at the same time.
const LOADS: usize = 8;

// === impl LoadTurns ===

impl Default for LoadTurns {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(LOADS)))
    }
}
