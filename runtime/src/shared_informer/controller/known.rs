//! Lookups of the queue in the store.

use crate::delta_fifo::KnownObjects;
use crate::indexer::Indexer;
use crate::object::ObjectKey;

impl<H: Clone + Send + Sync + 'static> KnownObjects for Indexer<H> {
    fn is_known(&self, key: &ObjectKey) -> bool {
        let snapshot = self.snapshot();
        snapshot.get(key).is_some() || snapshot.undecodable(key).is_some()
    }

    fn known_keys(&self) -> Vec<ObjectKey> {
        let snapshot = self.snapshot();
        let stored = snapshot.iter().map(|entry| &entry.key);
        let undecodable = snapshot.undecodable_all().map(|object| &object.key);
        stored.chain(undecodable).cloned().collect()
    }
}
