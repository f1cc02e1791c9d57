//! Informers over scripts, on a runtime of one thread, and objects made beforehand.

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

/// An informer with a handler that counts.
pub(crate) struct World {
    pub(crate) runtime: Runtime,
    pub(crate) source: ScriptedListerWatcher,
    pub(crate) informer: SharedInformer<ConfigMap>,
    /// Notifications that the handler has seen.
    pub(crate) seen: Arc<AtomicUsize>,
    /// Objects that were decoded, as their transform says.
    pub(crate) decoded: Arc<AtomicUsize>,
    cancel: CancellationToken,
    run: JoinHandle<()>,
}

/// A `ConfigMap` with a few labels and values.
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

/// Updates of `count` objects, with the versions from `version` on.
pub(crate) fn updates(count: usize, version: usize) -> Vec<RawEvent> {
    let update = |number| RawEvent::Modified(object(number, version + number));
    (0..count).map(update).collect()
}

pub(crate) fn listing() -> InformerConfig {
    InformerConfig::new().watch_list(WatchListMode::Never)
}

/// What decoding objects costs alone, and putting each behind an `Arc`.
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
            .add_event_handler(move |_: Event<Arc<ConfigMap>>| {
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

    /// Runs until the handler has seen so many notifications, and everybody waits again.
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
                // Virtual time, which goes on when nobody else can do anything.
                sleep(Duration::from_millis(1)).await;
            }
            assert!(condition(), "it never came");
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
