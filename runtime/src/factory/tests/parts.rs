//! A user's compression and store, set on informers of a factory.

use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use parking_lot::Mutex;

use super::support::{Answer, Server};
use crate::delta_fifo::{Delta, Order};
use crate::object::{Footprint, Object, ObjectKey, ResourceVersion};
use crate::shared_informer::{
    InformerConfig, InformerOptions, SharedInformer, StoreBatch, WriteThroughStore,
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

/// Names of the objects whose deltas were compressed.
static COMPRESSED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Changes nothing, and records the call.
fn record(pending: &[Delta]) -> Option<Vec<Delta>> {
    let name = pending.first().and_then(Delta::key)?.name();
    COMPRESSED.lock().push(name.to_owned());
    None
}

/// Changes an object twice, and reports whether its deltas were compressed.
async fn is_compressed<S: Storage<ConfigMap>>(
    informer: &SharedInformer<ConfigMap, S>,
    name: &str,
) -> bool {
    for version in ["1", "2"] {
        let entry = Entry {
            key: ObjectKey::namespaced("ns", name),
            uid: None,
            resource_version: ResourceVersion::new(version),
            footprint: Footprint::default(),
            object: Arc::new(ConfigMap::default()),
        };
        let delta = Delta::Updated(entry.into());
        informer.inner.fifo.push(delta).await.unwrap();
    }
    COMPRESSED
        .lock()
        .iter()
        .any(|compressed| compressed == name)
}

/// Q-19, F-17: a compression is set for a factory, a type or a request, and does not depend on the
/// storage.
#[tokio::test(start_paused = true)]
async fn q19_a_compression_can_be_given_by_factory_type_or_request() {
    let server = Server::default();
    let compressed = Order::Compressed(record);
    let options = InformerOptions::<ConfigMap>::new;
    let of_type = server
        .factory()
        .with_type(options().config(InformerConfig::new().order(compressed)));
    let of_type = of_type.build().unwrap();
    assert!(is_compressed(&of_type.informer::<ConfigMap>(), "of-type").await);
    let packed = of_type.stored_as::<Packed>().informer::<ConfigMap>();
    assert!(is_compressed(&packed, "packed").await);
    let plain = options()
        .config(InformerConfig::new().order(Order::PerKey))
        .namespace("a");
    assert!(!is_compressed(&of_type.informer_with(plain), "plain").await);

    let of_all = server
        .factory()
        .config(InformerConfig::new().order(compressed))
        .build()
        .unwrap();
    assert!(is_compressed(&of_all.informer::<ConfigMap>(), "of-all").await);
    let global = options()
        .config(InformerConfig::new().order(Order::Global))
        .namespace("b");
    assert!(!is_compressed(&of_all.informer_with(global), "global").await);

    let of_none = server.factory().build().unwrap();
    let requested = options()
        .config(InformerConfig::new().order(compressed))
        .namespace("c");
    assert!(is_compressed(&of_none.informer_with(requested), "requested").await);
    for factory in [of_type, of_all, of_none] {
        factory.shutdown().await;
    }
}
