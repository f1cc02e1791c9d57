//! A user's store, set on informers of a factory.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use parking_lot::Mutex;

use super::support::{Answer, Server};
use crate::object::Object;
use crate::shared_informer::{InformerConfig, InformerOptions, StoreBatch, WriteThroughStore};
use crate::status::StoreError;
use crate::storage::{Packed, Storage, Typed};

/// Names that each created store has received.
#[derive(Clone, Default)]
struct Stores(Arc<Mutex<Vec<Vec<String>>>>);

/// Store with a position in [`Stores`].
struct Names(Stores, usize);

impl Stores {
    fn make(&self) -> Names {
        let mut stores = self.0.lock();
        stores.push(Vec::new());
        Names(self.clone(), stores.len() - 1)
    }

    /// Returns the names, sorted, because the order of the informers is irrelevant.
    fn names(&self) -> Vec<Vec<String>> {
        let mut names = self.0.lock().clone();
        names.sort();
        names
    }

    fn of<K: Object, S: Storage<K>>(&self) -> InformerOptions<K, S> {
        let stores = self.clone();
        InformerOptions::new().store(move || stores.make())
    }
}

impl<T: Send + Sync + 'static> WriteThroughStore<T> for Names {
    async fn apply(&mut self, batch: &StoreBatch<T>) -> Result<(), StoreError> {
        let mut stores = self.0.0.lock();
        let names = batch.changes().map(|change| change.key().name().to_owned());
        stores[self.1].extend(names);
        Ok(())
    }
}

/// C-15, F-17: the settings of a type apply to each of its informers. Each informer has its own
/// store, which is written before a wait for the sync ends. A request can set another store.
#[tokio::test(start_paused = true)]
async fn c15_each_informer_of_a_type_has_a_store_of_its_own() {
    let server = Server::default();
    server.on("/api/v1/namespaces/b/configmaps", Answer::List(&["y", "z"]));
    let (of_type, requested, packed) = (Stores::default(), Stores::default(), Stores::default());
    let factory = server
        .factory()
        .with_type(of_type.of::<ConfigMap, Typed>())
        .build()
        .unwrap();
    let all = factory.informer::<ConfigMap>();
    let again = factory.informer::<ConfigMap>();
    assert!(all.is_same(&again));
    let _b = factory.informer_with(InformerOptions::<ConfigMap>::new().namespace("b"));
    let _c = factory.informer_with(requested.of::<ConfigMap, _>().namespace("c"));
    let small = factory.stored_as::<Packed>();
    let _d = small.informer_with(packed.of::<ConfigMap, _>());
    let _other = factory.informer::<Pod>();
    assert!(of_type.names().is_empty(), "nothing to write yet");
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(of_type.names(), [vec!["x"], vec!["y", "z"]]);
    assert_eq!(
        (requested.names(), packed.names()),
        (vec![vec!["x".into()]], vec![vec!["x".into()]])
    );
    factory.shutdown().await;
}

/// C-15, F-02: the settings of a type apply in every storage, except for settings that depend on
/// one storage's handles. Settings for a storage override them.
#[tokio::test(start_paused = true)]
async fn c15_settings_of_a_type_hold_in_every_storage_but_for_its_store() {
    let server = Server::default();
    let (typed, packed) = (Stores::default(), Stores::default());
    let factory = server
        .factory()
        .with_type(typed.of::<ConfigMap, Typed>().namespace("b"))
        .with_type(typed.of::<Pod, Typed>().namespace("b"))
        .with_type(
            packed
                .of::<Pod, Packed>()
                .config(InformerConfig::new().page_size(1)),
        )
        .build()
        .unwrap();
    let small = factory.stored_as::<Packed>();
    let (configs, pods) = (small.informer::<ConfigMap>(), small.informer::<Pod>());
    assert_eq!(configs.namespaces(), ["b".into()]);
    assert_eq!(pods.namespaces(), ["b".into()]);
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(typed.names(), [[""; 0]; 0]);
    assert_eq!(packed.names(), [["x"]]);
    factory.shutdown().await;
}
