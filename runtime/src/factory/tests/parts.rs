//! A user's compression and store, set on informers of a factory.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use parking_lot::Mutex;

use super::support::{Answer, Server};
use crate::delta_fifo::{Delta, Order};
use crate::object::{Footprint, Object, ObjectKey, ResourceVersion};
use crate::processor::Handle;
use crate::shared_informer::{
    ConfigError, InformerConfig, InformerOptions, SharedInformer, StoreBatch, WriteThroughStore,
};
use crate::status::StoreError;
use crate::storage::{Entry, Packed, Storage, Typed};

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

impl<H: Handle> WriteThroughStore<H> for Names {
    async fn apply(&mut self, batch: &StoreBatch<H>) -> Result<(), StoreError> {
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
        .with_type(packed.of::<Pod, Packed>().page_size(1))
        .build()
        .unwrap();
    let small = factory.stored_as::<Packed>();
    let (configs, pods) = (small.informer::<ConfigMap>(), small.informer::<Pod>());
    assert_eq!(
        (configs.namespace(), pods.namespace()),
        (Some("b"), Some("b"))
    );
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(typed.names(), [[""; 0]; 0]);
    assert_eq!(packed.names(), [["x"]]);
    factory.shutdown().await;
}

/// Creates a compression that changes nothing, and counts its calls.
fn counted() -> (InformerOptions<ConfigMap>, Arc<AtomicUsize>) {
    let (config, calls) = counted_config();
    (InformerOptions::new().config(config), calls)
}

fn counted_config() -> (InformerConfig, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&calls);
    let rule = move |_: &[Delta]| {
        counter.fetch_add(1, Ordering::Relaxed);
        None
    };
    (InformerConfig::new().compression(rule), calls)
}

async fn change_twice<S: Storage<ConfigMap>>(informer: &SharedInformer<ConfigMap, S>) {
    for version in ["1", "2"] {
        let entry = Entry {
            key: ObjectKey::namespaced("ns", "x"),
            uid: None,
            resource_version: ResourceVersion::new(version),
            footprint: Footprint::default(),
            handle: Arc::new(ConfigMap::default()),
        };
        informer
            .inner
            .fifo
            .push(Delta::Updated(entry.into()))
            .await
            .unwrap();
    }
}

/// Q-19, F-17: set on the type or the request, with the order of the factory or the type.
#[tokio::test(start_paused = true)]
async fn q19_a_compression_can_be_given_by_type_or_by_request() {
    let server = Server::default();
    let (of_type, calls) = counted();
    let (requested, other_calls) = counted();
    let factory = server
        .factory()
        .with_type(of_type.order(Order::PerKey))
        .build()
        .unwrap();
    change_twice(&factory.informer::<ConfigMap>()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    change_twice(&factory.informer_with(requested.namespace("a"))).await;
    let both = [calls, other_calls].map(|calls| calls.load(Ordering::Relaxed));
    assert_eq!(both, [1, 1]);

    let (of_type, calls) = counted();
    let builder = server.factory().order(Order::PerKey).with_type(of_type);
    change_twice(&builder.build().unwrap().informer::<ConfigMap>()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

/// Q-19, F-17: a compression does not depend on the storage. A factory's applies to all informers
/// whose order has keys.
#[tokio::test(start_paused = true)]
async fn q19_a_compression_can_be_given_for_all_storages_and_all_types() {
    let server = Server::default();
    let (of_type, calls) = counted();
    let builder = server.factory().with_type(of_type.order(Order::PerKey));
    let factory = builder.build().unwrap();
    change_twice(&factory.stored_as::<Packed>().informer::<ConfigMap>()).await;
    assert_eq!(calls.load(Ordering::Relaxed), 1);

    let (config, calls) = counted_config();
    let global = InformerOptions::<ConfigMap>::new().order(Order::Global);
    let builder = server.factory().config(config).order(Order::PerKey);
    let factory = builder.build().unwrap();
    let without_keys = factory.informer_with(global.namespace("b"));
    for informer in [factory.informer(), without_keys] {
        change_twice(&informer).await;
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

/// Q-19, F-20: a compression that cannot be used is an error of the builder, or of a wait for its
/// informer.
#[tokio::test(start_paused = true)]
async fn f20_a_compression_without_keys_is_refused() {
    let server = Server::default();
    let (of_type, _) = counted();
    for builder in [
        server.factory().with_type(of_type.clone()),
        server
            .factory()
            .with_type(of_type.clone().order(Order::Global))
            .order(Order::PerKey),
    ] {
        assert_eq!(
            builder.build().unwrap_err(),
            ConfigError::CompressionWithoutKeys
        );
    }
    let factory = server.factory().build().unwrap();
    let without_keys = factory.informer_with(of_type);
    factory.start().unwrap();
    assert_eq!(
        without_keys.wait_for_sync().await.unwrap_err().to_string(),
        "cannot run: a compression is set, but `Order::Global` merges no deltas: set `Order::PerKey`",
    );
    assert_eq!(server.requests(), [""; 0]);
    factory.shutdown().await;
}
