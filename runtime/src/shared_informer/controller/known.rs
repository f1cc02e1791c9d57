//! Lookups of the queue in the store.

use crate::delta_fifo::KnownObjects;
use crate::indexer::{Indexer, Store};
use crate::object::ObjectKey;

impl KnownObjects for Store {
    fn is_known(&self, key: &ObjectKey) -> bool {
        let state = self.state();
        state.get(key).is_some() || state.undecodable(key).is_some()
    }

    fn known_keys(&self) -> Vec<ObjectKey> {
        let state = self.state();
        state
            .keys()
            .chain(state.undecodable_keys())
            .cloned()
            .collect()
    }
}

impl<H: Send + Sync + 'static> KnownObjects for Indexer<H> {
    fn is_known(&self, key: &ObjectKey) -> bool {
        self.store().is_known(key)
    }

    fn known_keys(&self) -> Vec<ObjectKey> {
        self.store().known_keys()
    }
}
