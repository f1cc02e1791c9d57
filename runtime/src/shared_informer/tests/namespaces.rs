//! Informers of several namespaces: a reflector for each, and one cache.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::status::refusal;
use super::support::{Running, SECOND, config, recorder};
use crate::delta_fifo::Order;
use crate::indexer::FreshnessError;
use crate::lister::GetError;
use crate::object::{ObjectKey, ResourceInfo, ResourceVersion};
use crate::reflector::Peers;
use crate::shared_informer::generic_informer::Parts;
use crate::shared_informer::{InformerConfig, SharedInformer, SyncError};
use crate::source::{FakeControllerSource, ListerWatcher};
use crate::status::{InformerState, InformerStatus};
use crate::storage::Typed;

const ORDERS: [Order; 2] = [Order::Global, Order::PerKey];

/// Two namespaces of a server, and the informer of both.
struct World {
    a: FakeControllerSource,
    b: FakeControllerSource,
    informer: SharedInformer<ConfigMap>,
}

fn object(namespace: &str, name: &str) -> Value {
    let mut object = config(name, "1");
    object["metadata"]["namespace"] = json!(namespace);
    object
}

impl World {
    /// Creates namespaces with an object each.
    fn new(order: Order) -> Self {
        let source = |namespace: &str| {
            let source = FakeControllerSource::new();
            source.set_supports_watch_list(false);
            source.add(&object(namespace, "x")).unwrap();
            source
        };
        let (a, b) = (source("a"), source("b"));
        let of = |name: &str, source: &FakeControllerSource| {
            let source: Arc<dyn ListerWatcher> = Arc::new(source.clone());
            (Some(name.into()), source)
        };
        let config = InformerConfig::new().namespaces(["a", "b"]).order(order);
        let parts = Parts {
            name: None,
            resource: ResourceInfo::of_type::<ConfigMap>(),
            sources: vec![of("a", &a), of("b", &b)],
            coverage: Arc::new(config.coverage(None)),
            config,
            peers: Peers::default(),
            metrics: Arc::default(),
        };
        let informer = SharedInformer::from_parts(Typed, parts);
        Self { a, b, informer }
    }

    fn keys(&self) -> String {
        let keys = self.informer.keys();
        let keys: Vec<_> = keys.iter().map(ToString::to_string).collect();
        keys.join(" ")
    }

    /// Returns which namespaces are listed, and which fail: `a listed, b failing`.
    fn namespaces(&self) -> String {
        let status = self.informer.status();
        let known = status.namespaces.iter().map(|known| {
            let listed = if known.has_synced { " listed" } else { "" };
            let failing = if known.failure.is_some() {
                " failing"
            } else {
                ""
            };
            format!("{}{listed}{failing}", known.namespace.as_deref().unwrap())
        });
        known.collect::<Vec<_>>().join(", ")
    }

    async fn until(&self, condition: impl FnMut(&InformerStatus) -> bool) -> InformerStatus {
        let mut changes = self.informer.status_changes();
        changes.wait_for(condition).await.unwrap()
    }

    /// Waits until the cache has `count` objects.
    async fn until_cached(&self, count: usize) {
        let indexer = self.informer.indexer();
        indexer
            .wait_until(move |cached| cached.len() == count)
            .await;
    }
}

/// F-21: the namespaces make one cache, and its first sync waits for all of them.
#[tokio::test(start_paused = true)]
async fn f21_namespaces_are_listed_into_one_cache() {
    for order in ORDERS {
        let world = World::new(order);
        world.b.list_error(refusal(500));
        let (handler, mut seen) = recorder();
        let registration = world.informer.add_event_handler(handler).unwrap();
        let running = Running::start(&world.informer);
        assert_eq!(seen.next().await, "add a/x=1 initial");
        world
            .until(|status| status.namespaces[1].failure.is_some())
            .await;
        assert!(!world.informer.has_synced() && !registration.has_synced());
        world.b.list_error(None);
        world.informer.wait_for_sync().await.unwrap();
        assert_eq!(seen.next().await, "add b/x=1 initial");
        registration.wait_for_sync().await.unwrap();
        assert_eq!(world.keys(), "a/x b/x");
        assert_eq!(world.namespaces(), "a listed, b listed");
        running.stop().await;
    }
}

/// F-21, C-03, C-10: a relist of one namespace finds what was deleted there, also an object that was
/// replaced by one of the same key, and deletes nothing elsewhere.
#[tokio::test(start_paused = true)]
async fn f21_a_relist_of_one_namespace_touches_no_other() {
    for order in ORDERS {
        let world = World::new(order);
        world.b.add(&object("b", "y")).unwrap();
        let running = Running::synced(&world.informer).await;
        let (handler, mut seen) = recorder();
        world.informer.add_event_handler(handler).unwrap();
        seen.take(3).await;
        world.a.lose_next_event();
        world.a.delete(&object("a", "x")).unwrap();
        world.a.lose_next_event();
        world.a.add(&object("a", "z")).unwrap();
        world.a.reset_watch();
        let mut events = seen.take(2).await;
        events.sort();
        assert_eq!(events, ["add a/z=1 relist", "delete a/x=1? relist"]);
        assert_eq!(world.keys(), "a/z b/x b/y");
        world.b.delete(&object("b", "x")).unwrap();
        assert_eq!(seen.next().await, "delete b/x=1 live");
        assert!(seen.within(60 * SECOND).await.is_empty());
        running.stop().await;
    }
}

/// F-22, F-19, E-13: the others sync and are served; the status and reads tell why not this one; its
/// objects are added after the grant.
#[tokio::test(start_paused = true)]
async fn f22_a_forbidden_namespace_degrades_alone() {
    for order in ORDERS {
        let world = World::new(order);
        world.b.list_error(refusal(403));
        let (handler, mut seen) = recorder();
        let registration = world.informer.add_event_handler(handler).unwrap();
        let started = Instant::now();
        let running = Running::synced(&world.informer).await;
        assert!(started.elapsed() < SECOND);
        registration.wait_for_sync().await.unwrap();
        assert_eq!(seen.next().await, "add a/x=1 initial");
        world.a.add(&object("a", "y")).unwrap();
        assert_eq!(seen.next().await, "add a/y=1 live");
        assert_eq!(world.namespaces(), "a listed, b failing");
        let status = world.informer.status();
        let InformerState::Degraded { cause } = status.state else {
            panic!("unexpected state {:?}", status.state);
        };
        assert_eq!(cause.status().unwrap().code, 403);
        let get = |namespace, name| {
            let key = ObjectKey::namespaced(namespace, name);
            world.informer.lister().try_get_by_key(&key).unwrap_err()
        };
        assert!(matches!(get("a", "missing"), GetError::NotFound { .. }));
        assert!(matches!(get("b", "x"), GetError::NotSynced { .. }));
        let elsewhere = get("c", "x");
        assert_eq!(
            elsewhere.to_string(),
            "configmaps \"c/x\" is out of scope: only namespace `a,b` is cached"
        );

        world.b.list_error(None);
        assert_eq!(seen.next().await, "add b/x=1 initial");
        let recovered = world.until(|status| status.namespaces[1].failure.is_none());
        assert!(matches!(recovered.await.state, InformerState::Synced));
        assert!(matches!(get("b", "missing"), GetError::NotFound { .. }));
        assert_eq!(world.namespaces(), "a listed, b listed");
        running.stop().await;
    }
}

/// F-22: the refusal comes first, or last; a right that is revoked later changes nothing.
#[tokio::test(start_paused = true)]
async fn f22_the_order_of_refusal_and_list_does_not_matter() {
    let world = World::new(Order::Global);
    world.a.list_error(refusal(500));
    world.b.list_error(refusal(403));
    let running = Running::start(&world.informer);
    world
        .until(|status| {
            status
                .namespaces
                .iter()
                .all(|known| known.failure.is_some())
        })
        .await;
    assert!(!world.informer.has_synced());
    world.a.list_error(None);
    world.informer.wait_for_sync().await.unwrap();
    assert_eq!(world.namespaces(), "a listed, b failing");
    running.stop().await;

    let world = World::new(Order::Global);
    let running = Running::synced(&world.informer).await;
    world.b.list_error(refusal(403));
    world.b.watch_error(refusal(403));
    world.b.reset_watch();
    world
        .until(|status| status.namespaces[1].failure.is_some())
        .await;
    assert_eq!(world.keys(), "a/x b/x");
    assert!(world.informer.has_synced());
    running.stop().await;
}

/// F-22, F-06: if no namespace is permitted, nothing is served, and the wait says so.
#[tokio::test(start_paused = true)]
async fn f22_without_a_permitted_namespace_the_wait_fails() {
    let world = World::new(Order::Global);
    world.a.list_error(refusal(403));
    world.b.list_error(refusal(403));
    let running = Running::start(&world.informer);
    let error = world.informer.wait_for_sync().await.unwrap_err();
    assert!(matches!(error, SyncError::Forbidden(_)), "{error:?}");
    assert!(!world.informer.has_synced());
    world.b.list_error(None);
    world.until(|status| status.has_synced).await;
    assert_eq!(world.keys(), "b/x");
    running.stop().await;

    // Any other refusal ends the wait even if a namespace is listed.
    let world = World::new(Order::Global);
    world.b.list_error(refusal(422));
    let running = Running::start(&world.informer);
    let error = world.informer.wait_for_sync().await.unwrap_err();
    assert!(matches!(error, SyncError::Invalid(_)), "{error:?}");
    running.stop().await;
}

/// F-23, N-01, B-11: each namespace has its version. The store's is the oldest one, without those that
/// are forbidden.
#[tokio::test(start_paused = true)]
async fn f23_a_version_is_waited_for_in_its_namespace_or_in_all() {
    for order in ORDERS {
        let world = World::new(order);
        let running = Running::synced(&world.informer).await;
        world.a.add(&object("a", "y")).unwrap();
        let written = world.a.add(&object("a", "z")).unwrap();
        assert_eq!(written, ResourceVersion::new("3"));
        let waited = world
            .informer
            .wait_for_resource_version_in("a", &written, SECOND);
        assert_eq!(waited.await.unwrap().len(), 4);
        let of_b = world
            .informer
            .wait_for_resource_version_in("b", &written, SECOND);
        assert!(matches!(
            of_b.await.unwrap_err(),
            FreshnessError::Timeout { stored, .. } if stored == ResourceVersion::new("1")
        ));
        let all = world.informer.wait_for_resource_version(&written, SECOND);
        assert!(all.await.is_err());
        world.b.add(&object("b", "y")).unwrap();
        world.b.add(&object("b", "z")).unwrap();
        let all = world.informer.wait_for_resource_version(&written, SECOND);
        assert_eq!(all.await.unwrap().len(), 6);
        assert_eq!(world.informer.last_sync_resource_version(), written);
        running.stop().await;
    }

    let world = World::new(Order::Global);
    world.b.list_error(refusal(403));
    let running = Running::synced(&world.informer).await;
    assert_eq!(
        world.informer.last_sync_resource_version(),
        ResourceVersion::new("1")
    );
    let written = world.a.add(&object("a", "y")).unwrap();
    let all = world.informer.wait_for_resource_version(&written, SECOND);
    assert_eq!(all.await.unwrap().len(), 2);
    world.b.list_error(None);
    world.until_cached(3).await;
    assert_eq!(
        world.informer.last_sync_resource_version(),
        ResourceVersion::new("1")
    );
    world.b.add(&object("b", "y")).unwrap();
    world.until_cached(4).await;
    assert_eq!(world.informer.last_sync_resource_version(), written);
    running.stop().await;
}
