//! Number of decoded objects that are alive at once, and bytes that packed objects hold.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;

use allocation_counter::measure;
use informer_runtime::source::{ListAnswer, ScriptedListerWatcher, WatchAnswer};
use informer_runtime::wire::{ListMeta, RawEvent};
use informer_runtime::{InformerConfig, Object, Packed, SharedInformer, Storage};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::{Deserialize, Deserializer};
use tokio_util::sync::CancellationToken;

use crate::newtypes::resource_of_newtype;
use crate::support::{listing, object};

/// Number of objects that one task of the reflector decodes.
const CHUNK: usize = 128;

static ALIVE: AtomicUsize = AtomicUsize::new(0);
static MAX_ALIVE: AtomicUsize = AtomicUsize::new(0);

/// `ConfigMap` that is counted while it is alive. It cannot be cloned.
#[derive(Debug)]
struct Counted(ConfigMap);

resource_of_newtype!(Counted(ConfigMap));

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let object = ConfigMap::deserialize(deserializer)?;
        let alive = ALIVE.fetch_add(1, Ordering::SeqCst) + 1;
        MAX_ALIVE.fetch_max(alive, Ordering::SeqCst);
        Ok(Self(object))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Returns the maximum number of objects being decoded: a chunk per core, and up to two that wait.
#[expect(clippy::disallowed_methods, reason = "called once in a test")]
fn max_decoding() -> usize {
    (available_parallelism().map_or(1, usize::from) + 2) * CHUNK
}

/// Runs the informer until its cache has synced, and then calls `synced` before the end.
fn run_until_synced<K, S>(informer: &SharedInformer<K, S>, synced: impl FnOnce())
where
    K: Object,
    S: Storage<K>,
{
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime.block_on(async {
        let stop = CancellationToken::new();
        let waits = async {
            informer.wait_for_sync().await.unwrap();
            synced();
            stop.cancel();
        };
        let (ended, ()) = tokio::join!(informer.run(stop.clone()), waits);
        ended.unwrap();
    });
}

/// L-17: the initial events contain each object three times. Only the last version of each is held,
/// besides the objects that are being decoded.
#[test]
fn l17_a_streaming_list_holds_each_object_once() {
    let max_decoding = max_decoding();
    let objects = 5 * max_decoding;
    let added = (0..objects).map(|number| RawEvent::Added(object(number, number + 1)));
    let modified = (0..2 * objects)
        .map(|count| RawEvent::Modified(object(count % objects, objects + count + 1)));
    let end = RawEvent::initial_events_end("1000000");
    let source = ScriptedListerWatcher::new();
    source.on_watch(WatchAnswer::stays_open(
        added.chain(modified).chain([end]).collect::<Vec<_>>(),
    ));
    let informer = SharedInformer::<Counted>::builder(source)
        .config(InformerConfig::new())
        .build()
        .unwrap();
    run_until_synced(&informer, || {
        assert_eq!(informer.lister().len(), objects);
        assert_eq!(ALIVE.load(Ordering::SeqCst), objects);
    });
    assert_eq!(informer.metrics().decoded_objects, 3 * objects as u64);
    let max_alive = MAX_ALIVE.load(Ordering::SeqCst);
    assert!(
        max_alive <= objects + max_decoding,
        "{max_alive} alive for {objects} objects"
    );
    drop(informer);
    assert_eq!(ALIVE.load(Ordering::SeqCst), 0);
}

/// W-01: a list of packed objects takes few bytes of each in addition, until it is applied. What the
/// allocator once had for a list may stay resident.
#[test]
fn w01_a_list_of_packed_objects_takes_little_beside_them() {
    const OBJECTS: usize = 1 << 13;
    let objects: Vec<_> = (0..OBJECTS).map(|number| object(number, 1)).collect();
    let source = ScriptedListerWatcher::new();
    source.on_list(ListAnswer::items(objects, ListMeta::at("2")));
    let informer = SharedInformer::<ConfigMap, Packed>::builder(source)
        .config(listing())
        .build()
        .unwrap();
    let listed = measure(|| run_until_synced(&informer, || ()));
    assert_eq!(informer.lister().len(), OBJECTS);
    let held = usize::try_from(listed.bytes_current).unwrap();
    let more = (usize::try_from(listed.bytes_max).unwrap() - held) / OBJECTS;
    assert!(more <= 80, "{more} bytes of an object");
}
