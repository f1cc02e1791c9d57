//! State that all connections share.
//!
//! # Locks
//!
//! `state`, `switches`, `faults` and the locks inside `requests`, `activity` and `watches` are
//! leaves: none is taken while another is held, and none is held over an await.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Mutex, MutexGuard};
use tokio_util::sync::CancellationToken;

use crate::api::collector::settle;
use crate::api::state::ServerState;
use crate::auth::Access;
use crate::config::Config;
use crate::fault::Faults;
use crate::fault::activity::Activity;
use crate::fault::requests::{RECENT, RequestLog};
use crate::fault::watches::Watches;

/// The server, as seen by its connections and controls.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) config: Config,
    state: Mutex<ServerState>,
    switches: Mutex<Switches>,
    pub(crate) faults: Arc<Mutex<Faults>>,
    /// `None` if every request is authorized.
    pub(crate) access: Option<Access>,
    pub(crate) requests: RequestLog,
    pub(crate) activity: Arc<Activity>,
    pub(crate) watches: Arc<Watches>,
    /// Number of events that were encoded for watches.
    pub(crate) encodings: AtomicU64,
    /// Cancelled when the shutdown begins.
    pub(crate) shutdown: CancellationToken,
}

/// Permanent faults that tests have switched on.
#[derive(Debug, Default)]
pub(crate) struct Switches {
    /// Plurals (or `plural.group`) for which every request is forbidden.
    pub(crate) forbidden: BTreeSet<String>,
    /// `true` to behave like a server without the WatchList feature.
    pub(crate) refuse_watch_list: bool,
}

// === impl Shared ===

impl Shared {
    pub(crate) fn new(config: Config, access: Option<Access>, state: ServerState) -> Self {
        Self {
            requests: RequestLog::new(RECENT),
            activity: Arc::default(),
            state: Mutex::new(state),
            switches: Mutex::default(),
            faults: Arc::default(),
            access,
            watches: Arc::default(),
            encodings: AtomicU64::new(0),
            shutdown: CancellationToken::new(),
            config,
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock()
    }

    /// Changes the state, and then applies all consequences of the change.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut ServerState) -> T) -> T {
        let mut state = self.state();
        let changed = change(&mut state);
        settle(&mut state);
        changed
    }

    pub(crate) fn switches(&self) -> MutexGuard<'_, Switches> {
        self.switches.lock()
    }
}
