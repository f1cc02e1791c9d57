//! Lookups of the queue in the store.

use crate::delta_fifo::KnownObjects;
use crate::indexer::Store;
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
