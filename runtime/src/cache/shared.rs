//! [`Shared`]: the state that a cache and its readers share.

use std::collections::BTreeSet;
use std::time::Duration;

use parking_lot::Mutex;

use super::options::MissingInformer;
use super::state::Types;
use crate::factory::SharedInformerFactory;

pub(super) struct Shared {
    pub(super) factory: SharedInformerFactory,
    pub(super) settings: Settings,
    pub(super) types: Mutex<Types>,
}

/// Settings that apply to every type of a cache.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) missing_informer: MissingInformer,
    pub(super) sync_timeout: Duration,
    /// Empty for all namespaces.
    pub(super) namespaces: BTreeSet<String>,
}
