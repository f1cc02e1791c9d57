//! [`Shared`]: what a cache and its readers have in common.

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

/// What holds for every type of a cache.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) missing_informer: MissingInformer,
    pub(super) sync_timeout: Duration,
    /// Empty for all.
    pub(super) namespaces: BTreeSet<String>,
}
