//! Settings of a factory and of a type.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};
use kube::core::{DynamicObject, PartialObjectMeta};
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::support::{Answer, SECOND, Server};
use crate::delta_fifo::Capacity;
use crate::event::{Event, Origin};
use crate::factory::SharedInformerFactory;
use crate::object::{Object, ObjectKey, ResourceInfo};
use crate::reflector::{Backoff, ErrorHandler, WatchListMode};
use crate::shared_informer::{
    ConfigError, InformerConfig, InformerOptions, SharedInformer, SyncError,
};
use crate::source::{KubeListerWatcher, Timeouts};
use crate::status::InformerState;

const PODS: &str = "/api/v1/pods";
const CONFIGS: &str = "/api/v1/configmaps";
const NODES: &str = "/api/v1/nodes";

/// Backoff with a constant delay.
#[derive(Debug, Clone, Copy)]
struct Every(Duration);

impl Backoff for Every {
    fn next_delay(&mut self) -> Duration {
        self.0
    }
    fn reset(&mut self) {}
}

/// Returns a configuration without streaming lists, and with a constant delay in seconds.
fn every(seconds: u64) -> InformerConfig {
    InformerConfig::new()
        .watch_list(WatchListMode::Never)
        .backoff(move || Every(Duration::from_secs(seconds)))
}

fn lists(queries: &[String]) -> usize {
    let is_list = |query: &&String| !query.contains("watch=true");
    queries.iter().filter(is_list).count()
}

/// Returns the `timeoutSeconds` of the first watch.
fn watch_timeout(queries: &[String]) -> u64 {
    let mut parts = queries.iter().flat_map(|query| query.split('&'));
    let timeout = parts.find_map(|part| part.strip_prefix("timeoutSeconds="));
    timeout.unwrap().parse().unwrap()
}

/// R-18, F-17: page size and minimum watch timeout are resolved separately; the more specific
/// setting applies.
#[tokio::test(start_paused = true)]
async fn r18_page_size_and_watch_timeout_are_the_types_or_the_factorys() {
    let server = Server::default();
    let factory = SharedInformerFactory::builder(server.client())
        .config(every(1).page_size(7).min_watch_timeout(1800 * SECOND))
        .with_type(InformerOptions::<Pod>::new().config(InformerConfig::new().page_size(3)))
        .with_type(
            InformerOptions::<Secret>::new()
                .config(InformerConfig::new().min_watch_timeout(7200 * SECOND)),
        )
        .build()
        .unwrap();
    let _pods = factory.informer::<Pod>();
    let _configs = factory.informer::<ConfigMap>();
    let _secrets = factory.informer::<Secret>();
    // 0 selects the default rule, against the type's and the factory's settings.
    let options = InformerOptions::new().config(InformerConfig::new().page_size(0));
    let _nodes = factory.informer_with::<Node>(options);
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    for (path, limit, shortest) in [
        (PODS, 3, 1800),
        (CONFIGS, 7, 1800),
        ("/api/v1/secrets", 7, 7200),
        (NODES, 500, 1800),
    ] {
        let queries = server.queries(path);
        // All of them inherit the factory's setting against streaming lists.
        assert_eq!(
            queries[0],
            format!("limit={limit}&resourceVersion=0"),
            "{path}"
        );
        let timeout = watch_timeout(&queries);
        assert!(
            (shortest..=2 * shortest).contains(&timeout),
            "{path}: {timeout}"
        );
    }
    factory.shutdown().await;
}

/// R-18, E-07, E-10: the delays come from the type, the failures go to the factory's handler.
#[tokio::test(start_paused = true)]
async fn r18_backoff_and_error_handler_are_the_types_or_the_factorys() {
    let server = Server::default();
    for path in [PODS, CONFIGS, NODES] {
        server.on(path, Answer::Status(500));
    }
    let count = || {
        let failures = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&failures);
        (failures, ErrorHandler::new(move |_| *counted.lock() += 1))
    };
    let (of_factory, handler) = count();
    let (of_nodes, nodes_handler) = count();
    let own = InformerConfig::new().error_handler(nodes_handler);
    let factory = SharedInformerFactory::builder(server.client())
        .config(every(2).error_handler(handler))
        .with_type(
            InformerOptions::<Pod>::new()
                .config(InformerConfig::new().backoff(|| Every(5 * SECOND))),
        )
        .with_type(InformerOptions::<Node>::new().config(own))
        .build()
        .unwrap();
    let _pods = factory.informer::<Pod>();
    let _configs = factory.informer::<ConfigMap>();
    let _nodes = factory.informer::<Node>();
    factory.start().unwrap();
    tokio::time::sleep(Duration::from_millis(10_500)).await;
    let attempts = [PODS, CONFIGS, NODES].map(|path| server.queries(path).len());
    assert_eq!(attempts, [3, 6, 6]);
    assert_eq!((*of_factory.lock(), *of_nodes.lock()), (9, 6));
    factory.shutdown().await;
}

/// R-18, R-11: a retry window for internal errors, which a type disables.
#[tokio::test(start_paused = true)]
async fn r18_the_retry_window_is_the_types_or_the_factorys() {
    let server = Server::default();
    for path in [PODS, CONFIGS] {
        server.on(path, Answer::InternalErrors);
    }
    let closed = InformerConfig::new().internal_error_retry(Duration::ZERO);
    let factory = SharedInformerFactory::builder(server.client())
        .config(every(1).internal_error_retry(30 * SECOND))
        .with_type(InformerOptions::<Pod>::new().config(closed))
        .build()
        .unwrap();
    let _pods = factory.informer::<Pod>();
    let _configs = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    tokio::time::sleep(20 * SECOND + SECOND / 2).await;
    assert_eq!(lists(&server.queries(CONFIGS)), 1);
    assert_eq!(
        lists(&server.queries(PODS)),
        11,
        "a second each, and one between"
    );
    factory.shutdown().await;
}

/// R-18, Q-11: capacity of the queue.
#[tokio::test(start_paused = true)]
async fn r18_the_capacity_of_the_queue_is_the_types_or_the_factorys() {
    let server = Server::default();
    let plain = server.factory().build().unwrap();
    let queue = &plain.informer::<Pod>().inner.fifo.clone();
    let capacity = |deltas, bytes| Capacity { deltas, bytes };
    assert_eq!(queue.capacity(), capacity(4096, 16 << 20));

    let factory = server
        .factory()
        .queue_capacity(16)
        .config(InformerConfig::new().queue_bytes(1 << 20))
        .with_type(
            InformerOptions::<Node>::new()
                .queue_capacity(2)
                .config(InformerConfig::new().queue_bytes(1)),
        )
        .build()
        .unwrap();
    let pods = factory.informer::<Pod>().inner.fifo.clone();
    let configs = factory.informer::<ConfigMap>().inner.fifo.clone();
    let nodes = factory.informer::<Node>().inner.fifo.clone();
    assert_eq!(pods.capacity(), capacity(16, 1 << 20));
    assert_eq!(configs.capacity(), capacity(16, 1 << 20));
    assert_eq!(nodes.capacity(), capacity(2, 1));
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    factory.shutdown().await;
}

/// R-18, F-20: a queue with capacity 0 is an error of the builder, or of a wait for its informer.
#[tokio::test(start_paused = true)]
async fn r18_a_queue_without_room_is_refused() {
    let server = Server::default();
    for factory in [
        server.factory().queue_capacity(0),
        server
            .factory()
            .config(InformerConfig::new().queue_bytes(0)),
    ] {
        assert_eq!(factory.build().unwrap_err(), ConfigError::EmptyQueue);
    }
    let options = InformerOptions::<Pod>::new().queue_capacity(0);
    let error = server.factory().with_type(options.clone()).build();
    assert_eq!(error.unwrap_err(), ConfigError::EmptyQueue);

    let factory = server.factory().build().unwrap();
    let pods = factory.informer_with(options);
    factory.start().unwrap();
    let error = pods.wait_for_sync().await.unwrap_err();
    assert!(matches!(error, SyncError::Refused(_)), "{error}");
    factory.shutdown().await;
}

/// W-04, F-02, F-17: the factory, the type or the request decides whether managed fields are kept.
/// Requests with different settings get different informers.
#[tokio::test(start_paused = true)]
async fn w04_managed_fields_are_kept_by_factory_type_or_request() {
    let server = Server::default();
    let list = r#"{"metadata":{"resourceVersion":"1"},"items":[{"metadata":{"namespace":"ns",
        "name":"x","resourceVersion":"1","managedFields":[{"manager":"kubectl"}]}}]}"#;
    for path in [PODS, CONFIGS] {
        server.on(path, Answer::Text(list.to_owned()));
    }
    let keep = || InformerOptions::new().config(InformerConfig::new().keep_managed_fields(true));
    let cut = || {
        InformerOptions::<ConfigMap>::new().config(InformerConfig::new().keep_managed_fields(false))
    };
    // Default and request; then the factory, overridden by the type, and both overridden by the
    // request.
    let plain = server.factory().build().unwrap();
    let kept = server
        .factory()
        .config(InformerConfig::new().keep_managed_fields(true));
    let kept = kept.with_type(cut()).build().unwrap();
    let configs = [
        (plain.informer::<ConfigMap>(), false),
        (plain.informer_with(keep()), true),
        (kept.informer::<ConfigMap>(), false),
        (kept.informer_with(keep()), true),
    ];
    let pods = kept.informer::<Pod>();
    let resource = ResourceInfo::of_type::<ConfigMap>();
    let dynamic = kept.dynamic(resource.clone());
    let metadata = kept.metadata_with(
        resource,
        InformerOptions::new().config(InformerConfig::new().keep_managed_fields(false)),
    );
    assert!(plain.informer_with(cut()).is_same(&configs[0].0));
    assert_eq!(configs[1].0.name(), "configmaps.v1 (with managed fields)");
    plain.start().unwrap();
    kept.start().unwrap();
    let key = ObjectKey::namespaced("ns", "x");
    for (informer, is_kept) in configs {
        informer.wait_for_sync().await.unwrap();
        let object = informer.lister().get_by_key(&key).unwrap();
        let has_any = object.metadata.managed_fields.is_some();
        assert_eq!(has_any, is_kept, "{}", informer.name());
    }
    pods.wait_for_sync().await.unwrap();
    let pod = pods.lister().get_by_key(&key).unwrap();
    assert!(pod.metadata.managed_fields.is_some());
    dynamic.wait_for_sync().await.unwrap();
    let object = dynamic.lister().get_by_key(&key).unwrap();
    assert!(object.metadata.managed_fields.is_some() && object.types.is_some());
    metadata.wait_for_sync().await.unwrap();
    let object = metadata.lister().get_by_key(&key).unwrap();
    assert!(object.metadata.managed_fields.is_none());
    plain.shutdown().await;
    kept.shutdown().await;
}

/// W-21, R-18: timeouts of a silent server.
#[tokio::test(start_paused = true)]
async fn w21_deadlines_are_the_types_or_the_factorys() {
    let headers = |seconds| Timeouts {
        headers: Duration::from_secs(seconds),
        ..Timeouts::default()
    };
    for (of_factory, of_type, pods_wait, nodes_wait) in [
        (None, None, 60, 60),
        (Some(7), None, 7, 7),
        (Some(7), Some(3), 3, 7),
    ] {
        let server = Server::default();
        for path in [PODS, NODES] {
            server.on(path, Answer::Silence);
        }
        let mut builder = SharedInformerFactory::builder(server.client()).config(every(1));
        if let Some(seconds) = of_factory {
            builder = builder.config(InformerConfig::new().timeouts(headers(seconds)));
        }
        if let Some(seconds) = of_type {
            let options = InformerOptions::<Pod>::new()
                .config(InformerConfig::new().timeouts(headers(seconds)));
            builder = builder.with_type(options);
        }
        let factory = builder.build().unwrap();
        let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
        factory.start().unwrap();
        let failed = async |mut changes: crate::status::StatusChanges| {
            let started = Instant::now();
            loop {
                let status = changes.next().await.unwrap();
                if matches!(status.state, InformerState::Stale { .. }) {
                    return started.elapsed().as_secs();
                }
            }
        };
        let waited = tokio::join!(
            failed(pods.status_changes()),
            failed(nodes.status_changes())
        );
        assert_eq!(waited, (pods_wait, nodes_wait));
        factory.shutdown().await;
    }
}

/// M-03: typed, dynamic and metadata informers take resync, name and cancellation.
#[tokio::test(start_paused = true)]
async fn m03_informers_of_each_form_take_resync_name_and_cancellation() {
    let resource = ResourceInfo::of_type::<ConfigMap>;
    options_are_followed::<ConfigMap>("configmaps.v1", |factory, options| {
        factory.informer_with(options)
    })
    .await;
    options_are_followed::<DynamicObject>("configmaps.v1 (dynamic)", |factory, options| {
        factory.dynamic_with(resource(), options)
    })
    .await;
    options_are_followed::<PartialObjectMeta<DynamicObject>>(
        "configmaps.v1 (metadata)",
        |factory, options| factory.metadata_with(resource(), options),
    )
    .await;
}

async fn options_are_followed<K: Object>(
    name: &str,
    request: impl Fn(&SharedInformerFactory, InformerOptions<K>) -> SharedInformer<K>,
) {
    let server = Server::default();
    let factory = server.factory().build().unwrap();
    let resynced = InformerOptions::new().resync_period(30 * SECOND);
    let informer = request(&factory, resynced);
    let other = request(&factory, InformerOptions::new().namespace("ns"));
    assert_eq!(informer.name(), name);
    assert_ne!(other.name(), name);
    let resyncs = [&informer, &other].map(|informer| {
        let resyncs = Arc::new(Mutex::new(0));
        let counted = Arc::clone(&resyncs);
        let handler = move |event: Event<K>| {
            *counted.lock() += usize::from(event.origin() == Origin::Resync);
        };
        informer.add_event_handler(handler).unwrap();
        resyncs
    });
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(95 * SECOND).await;
    assert_eq!(resyncs.map(|resyncs| *resyncs.lock()), [3, 0]);

    // Each is stopped alone, or by the token of its run.
    informer.stop();
    informer.wait_until_stopped().await;
    assert!(informer.is_stopped() && !other.is_stopped());
    let source = KubeListerWatcher::new(server.client(), ResourceInfo::of_type::<ConfigMap>());
    let own = SharedInformer::<K>::builder(source)
        .resource(ResourceInfo::of_type::<ConfigMap>())
        .name("mine")
        .build()
        .unwrap();
    assert_eq!(own.name(), "mine");
    let cancel = CancellationToken::new();
    let run = own.run(cancel.clone());
    let ended = tokio::join!(run, async {
        own.wait_for_sync().await.unwrap();
        cancel.cancel();
    });
    assert!(ended.0.is_ok() && own.is_stopped());
    factory.shutdown().await;
}
