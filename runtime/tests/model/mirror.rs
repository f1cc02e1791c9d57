//! Flaky store of the user's beside the cache.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_runtime::shared_informer::{StoreBatch, WriteThroughStore};
use informer_runtime::status::StoreError;
use informer_runtime::{ObjectKey, Snapshot};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;

/// Store that regularly fails, and panics in the middle of a batch. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Mirror(Arc<Mutex<Rows>>);

#[derive(Default)]
struct Rows {
    objects: BTreeMap<ObjectKey, ConfigMap>,
    calls: u64,
}

// === impl Mirror ===

impl Mirror {
    /// Checks that the store has the objects of the cache.
    pub(crate) fn check(&self, snapshot: &Snapshot<ConfigMap>) -> Result<(), String> {
        let rows = self.0.lock();
        let cached = snapshot.entries();
        let cached = cached.map(|entry| (&entry.key, entry.object_ref::<ConfigMap>()));
        let stored = rows.objects.iter();
        if stored.map(|(key, object)| (key, Some(object))).eq(cached) {
            return Ok(());
        }
        Err(format!("the user's store has {:?}", rows.objects))
    }
}

impl WriteThroughStore<ConfigMap> for Mirror {
    async fn apply(&mut self, batch: &StoreBatch<ConfigMap>) -> Result<(), StoreError> {
        let mut rows = self.0.lock();
        rows.calls += 1;
        let calls = rows.calls;
        if calls % 3 == 1 {
            return Err("not now".into());
        }
        if batch.is_replace() {
            rows.objects.clear();
        }
        for change in batch.changes() {
            let key = change.key().clone();
            match change.after() {
                Some(object) => rows.objects.insert(key, object.clone()),
                None => rows.objects.remove(&key),
            };
            assert!(!calls.is_multiple_of(5), "the store panics on purpose");
        }
        Ok(())
    }
}
