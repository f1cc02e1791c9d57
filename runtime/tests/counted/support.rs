//! Informers on scripts, with a single-threaded runtime and prepared objects.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use allocation_counter::{AllocationInfo, measure};
use informer_runtime::source::ScriptedListerWatcher;
use informer_runtime::wire::{RawEvent, RawObject};
use informer_runtime::{
    Event, InformerConfig, InformerMetrics, ResourceVersion, SharedInformer, Transform,
    WatchListMode,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

/// Informer with a handler that counts its notifications.
pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) source: ScriptedListerWatcher,
    pub(crate) informer: SharedInformer<ConfigMap>,
    /// Number of notifications that the handler has seen.
    pub(crate) seen: Arc<AtomicUsize>,
    /// Number of decoded objects, counted by their transform.
    pub(crate) decoded: Arc<AtomicUsize>,
    cancel: CancellationToken,
    run: JoinHandle<()>,
}

/// Returns a `ConfigMap` with a few labels and values.
pub(crate) fn object(number: usize, version: usize) -> RawObject {
    let object = json!({
        "metadata": {
            "namespace": format!("ns-{}", number % 10),
            "name": format!("object-{number}"),
            "uid": format!("8a4b2b6e-0000-4000-8000-{number:012}"),
            "resourceVersion": version.to_string(),
            "labels": {"app": "web", "tier": "front"},
        },
        "data": {"number": number.to_string(), "version": version.to_string()},
    });
    RawObject::from_value(&object).unwrap()
}

/// Returns updates of `count` objects, with versions from `version` on.
pub(crate) fn updates(count: usize, version: usize) -> Vec<RawEvent> {
    let update = |number| RawEvent::Modified(object(number, version + number));
    (0..count).map(update).collect()
}

pub(crate) fn listing() -> InformerConfig {
    InformerConfig::new().watch_list(WatchListMode::Never)
}

/// Measures decoding objects and wrapping each in an `Arc`.
pub(crate) fn decode_alone(events: &[RawEvent]) -> AllocationInfo {
    let mut decoded: Vec<Arc<ConfigMap>> = Vec::with_capacity(events.len());
    let info = measure(|| {
        for event in events {
            let RawEvent::Modified(raw) = event else {
                panic!("an update: {event:?}");
            };
            decoded.push(Arc::new(raw.decode().unwrap()));
        }
    });
    assert_eq!(decoded.len(), events.len());
    info
}

impl World {
    pub(crate) fn new(config: InformerConfig) -> Self {
        let runtime = Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        let source = ScriptedListerWatcher::new();
        let decoded = Arc::new(AtomicUsize::new(0));
        let counted = decoded.clone();
        let transform = Transform::new("count", move |_: &mut ConfigMap| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        let informer = SharedInformer::builder(source.clone())
            .config(config)
            .transform(transform)
            .build()
            .unwrap();
        let seen = Arc::new(AtomicUsize::new(0));
        let counted = seen.clone();
        informer
            .add_event_handler(move |_: Event<ConfigMap>| {
                counted.fetch_add(1, Ordering::Relaxed);
            })
            .unwrap();
        let cancel = CancellationToken::new();
        let running = informer.clone();
        let token = cancel.clone();
        let run = runtime.spawn(async move { running.run(token).await.unwrap() });
        Self {
            runtime,
            source,
            informer,
            seen,
            decoded,
            cancel,
            run,
        }
    }

    /// Runs until the handler has seen this many notifications, and all tasks wait again.
    pub(crate) fn until_seen(&self, count: usize) {
        self.until(|| self.seen.load(Ordering::Relaxed) >= count);
    }

    pub(crate) fn until_version(&self, version: &str) {
        let version = ResourceVersion::new(version);
        self.until(|| self.informer.last_sync_resource_version() == version);
    }

    fn until(&self, condition: impl Fn() -> bool) {
        self.runtime.block_on(async {
            for _ in 0..20_000 {
                if condition() {
                    break;
                }
                // Virtual time, which advances when no task can run.
                sleep(Duration::from_millis(1)).await;
            }
            assert!(condition(), "condition never held");
            for _ in 0..100 {
                yield_now().await;
            }
        });
    }

    pub(crate) fn seen(&self) -> usize {
        self.seen.load(Ordering::Relaxed)
    }

    pub(crate) fn decoded(&self) -> usize {
        self.decoded.load(Ordering::Relaxed)
    }

    pub(crate) fn metrics(&self) -> InformerMetrics {
        self.informer.metrics()
    }

    pub(crate) fn generation(&self) -> u64 {
        self.informer.snapshot().generation()
    }

    pub(crate) fn stop(self) {
        self.cancel.cancel();
        self.runtime.block_on(self.run).unwrap();
    }
}
