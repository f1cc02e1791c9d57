//! [`ControllerSourceShared`]: the state that clones of a source share.

use std::sync::atomic::AtomicBool;

use parking_lot::Mutex;
use tokio::sync::Notify;

use super::state::ServerState;
use crate::source::scripted::record::Record;

/// State that clones of a source share.
///
/// # Invariants
///
/// `changed` is notified after every change of `state` that a watch could wait for.
#[derive(Debug)]
pub(super) struct ControllerSourceShared {
    pub(super) state: Mutex<ServerState>,
    pub(super) changed: Notify,
    pub(super) record: Record,
    pub(super) supports_watch_list: AtomicBool,
}
