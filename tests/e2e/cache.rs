//! The cache of many types: reads that start informers, or refuse to, with the reasons of failures.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use informer::cache::{
    Cache, CacheBuildError, CacheBuilder, CacheError, CacheListOptions, MissingInformer,
};
use informer::{
    HandlerOptions, InformerOptions, ObjectKey, ReflectorError, ResourceInfo, SyncError, Transform,
    WatchListMode,
};
use informer_apiserver::{Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::Resource;
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use serde_json::Value;

use crate::support::{Cluster, Failures, chain, config_map, key, quick, value, within};

fn builder(cluster: &Cluster) -> CacheBuilder {
    Cache::builder(cluster.factory())
}

fn cache(cluster: &Cluster) -> Cache {
    let cache = builder(cluster).build().unwrap();
    cache.factory().start().unwrap();
    cache
}

fn in_namespace(namespace: &str, name: &str, value: &str) -> Value {
    let mut map = config_map(name, value);
    map["metadata"]["namespace"] = namespace.into();
    map
}

fn maps() -> ResourceInfo {
    ResourceInfo::of::<ConfigMap>(&()).unwrap()
}

/// Returns the keys of a list, in order.
fn keys<K: Resource>(objects: &[Arc<K>]) -> String {
    let keys = objects.iter().map(|object| ObjectKey::of(&**object));
    keys.map(|key| key.to_string())
        .collect::<Vec<_>>()
        .join(" ")
}

async fn list(cache: &Cache, options: &CacheListOptions) -> String {
    let listed = within("a list", cache.list::<ConfigMap>(options)).await;
    keys(&listed.unwrap())
}

/// F-03: concurrent first reads start one informer.
#[tokio::test]
async fn f03_first_reads_start_one_informer_and_wait_for_it() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let cache = cache(&cluster);
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 0);

    let (a, b) = (key("a"), key("b"));
    let everything = CacheListOptions::new();
    let reads = async {
        tokio::join!(
            cache.get::<ConfigMap>(&a),
            cache.get::<ConfigMap>(&b),
            cache.list::<ConfigMap>(&everything),
        )
    };
    let (a, b, all) = within("three first reads", reads).await;
    assert_eq!(value(&a.unwrap().unwrap()), "1");
    assert_eq!(b.unwrap(), None);
    assert_eq!(keys(&all.unwrap()), "default/a");
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 1);
    assert_eq!(cluster.control.count(Verb::List, "configmaps"), 0);
    // The informer belongs to the factory, and no other informer watches the type.
    assert!(cache.factory().informer::<ConfigMap>().has_synced());
    cache.factory().shutdown().await;
}

#[tokio::test]
async fn a_refusing_cache_names_the_type_and_sends_no_request() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let cache = builder(&cluster)
        .missing_informer(MissingInformer::Refuse)
        .build()
        .unwrap();
    cache.factory().start().unwrap();

    let error = cache.get::<ConfigMap>(&key("a")).await.unwrap_err();
    assert!(matches!(error, CacheError::MissingInformer { .. }));
    let text = error.to_string();
    assert!(text.contains("`configmaps.v1`"), "{text}");
    assert!(text.contains("`MissingInformer::Start`"), "{text}");
    let error = cache
        .of_resource::<DynamicObject>(maps())
        .get(&key("a"))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("`configmaps.v1 (dynamic)`"));
    assert_eq!(cluster.control.requests().len(), 0);

    // An explicit request to the cache or to its factory starts the informer.
    cache.of::<ConfigMap>().informer().unwrap();
    let found = within("a read", cache.get::<ConfigMap>(&key("a"))).await;
    assert_eq!(value(&found.unwrap().unwrap()), "1");
    let _namespaces = cache.factory().informer::<Namespace>();
    let default = ObjectKey::cluster("default");
    let found = within("a read", cache.get::<Namespace>(&default)).await;
    assert!(found.unwrap().is_some());

    // The informer is missing again after its removal.
    assert!(within("the end", cache.of::<ConfigMap>().remove()).await);
    let error = cache.get::<ConfigMap>(&key("a")).await.unwrap_err();
    assert!(matches!(error, CacheError::MissingInformer { .. }));
    cache.factory().shutdown().await;
}

/// F-19, F-05: neither error claims that an object does not exist.
#[tokio::test]
async fn f19_reads_before_the_start_and_after_the_end_fail_at_once() {
    let cluster = Cluster::start().await;
    let cache = builder(&cluster).build().unwrap();
    let error = cache.get::<ConfigMap>(&key("a")).await.unwrap_err();
    assert!(
        matches!(error, CacheError::NotStarted { .. }),
        "{}",
        chain(&error)
    );
    cache.factory().start().unwrap();
    let found = within("a read", cache.get::<ConfigMap>(&key("a"))).await;
    assert_eq!(found.unwrap(), None);

    cache.factory().shutdown().await;
    let error = cache.get::<ConfigMap>(&key("a")).await.unwrap_err();
    assert!(chain(&error).contains("shut down"), "{}", chain(&error));
    assert!(matches!(
        error,
        CacheError::NotSynced {
            cause: SyncError::Refused(_),
            ..
        }
    ));
}

/// F-02, F-06, F-07, F-16, I-08.
#[tokio::test]
async fn f02_several_namespaces_of_a_type_read_as_one_ordered_by_key() {
    let cluster = Cluster::start().await;
    for (namespace, name) in [("c", "x"), ("a", "z"), ("b", "y"), ("a", "y")] {
        let map = in_namespace(namespace, name, namespace);
        cluster.control.create_direct(map).unwrap();
    }
    let factory = cluster.builder().namespace("b").build().unwrap();
    let cache = Cache::builder(factory)
        .with_type::<ConfigMap>(InformerOptions::new().namespaces(["c", "b", "a"]))
        .build()
        .unwrap();
    cache.factory().start().unwrap();
    let created = cluster
        .control
        .create_direct(in_namespace("c", "a", "c"))
        .unwrap();
    assert_eq!(created["metadata"]["name"], "a");

    // A namespace waits for itself only, and its request names the namespace: a Role suffices.
    let b = CacheListOptions::new().namespace("b");
    cluster.control.fail_next(
        usize::MAX,
        Matcher::any().resource("configmaps").namespace("a"),
        Fault::status(403, "Forbidden", "not in a"),
    );
    assert_eq!(list(&cache, &b).await, "b/y");
    let everything = CacheListOptions::new();
    let all = cache.list::<ConfigMap>(&everything);
    let error = within("an answer", all).await.unwrap_err();
    assert!(chain(&error).contains("not in a"), "{}", chain(&error));
    assert!(matches!(
        error,
        CacheError::NotSynced {
            cause: SyncError::Forbidden(_),
            ..
        }
    ));
    cluster.control.clear_faults();
    let maps = cache.of::<ConfigMap>().informer().unwrap();
    let all_cached = maps.indexer().wait_until(|cached| cached.len() == 5);
    within("all three", all_cached).await;

    assert_eq!(
        list(&cache, &CacheListOptions::new()).await,
        "a/y a/z b/y c/a c/x"
    );
    let some = CacheListOptions::new().selector("app in (y,z)".parse().unwrap());
    assert_eq!(list(&cache, &some).await, "a/y a/z b/y");
    let nothing = CacheListOptions::new()
        .namespace("c")
        .selector("app=z".parse().unwrap());
    assert_eq!(list(&cache, &nothing).await, "");
    let z = ObjectKey::namespaced("a", "z");
    let found = cache.get::<ConfigMap>(&z).await.unwrap();
    assert_eq!(value(&found.unwrap()), "a");

    let elsewhere = ObjectKey::namespaced("d", "x");
    let error = cache.get::<ConfigMap>(&elsewhere).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "`configmaps.v1` in namespace `d` is out of scope: the cache holds only a, b, c"
    );
    // Other types use the factory's namespace. Cluster-scoped types use none.
    let secrets = cache.of::<Secret>().informer().unwrap();
    assert_eq!(secrets.namespaces(), ["b".into()]);
    let a = ObjectKey::new(Some("ignored"), "a");
    let found = within("a read", cache.get::<Namespace>(&a)).await.unwrap();
    assert_eq!(found.unwrap().metadata.name.as_deref(), Some("a"));
    cache.factory().shutdown().await;
}

/// F-01, F-02.
#[tokio::test]
async fn f01_typed_dynamic_and_metadata_forms_are_cached_side_by_side() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    cluster.create("b", "1");
    let only_b = InformerOptions::<PartialObjectMeta<DynamicObject>>::new()
        .label_selector("app=b".parse().unwrap());
    let mark = Transform::new("mark", |map: &mut ConfigMap| {
        map.immutable = Some(true);
        Ok(())
    });
    let cache = builder(&cluster)
        .with_type(InformerOptions::new().transform(mark))
        .with_resource(&maps(), only_b)
        .build()
        .unwrap();
    cache.factory().start().unwrap();
    let dynamic = cache.of_resource::<DynamicObject>(maps());
    let metadata = cache.of_resource::<PartialObjectMeta<DynamicObject>>(maps());
    for _ in 0..2 {
        let everything = CacheListOptions::new();
        let typed = within("objects", cache.list::<ConfigMap>(&everything)).await;
        let typed = typed.unwrap();
        assert_eq!(keys(&typed), "default/a default/b");
        assert!(typed.iter().all(|map| map.immutable == Some(true)));
        let whole = within("documents", dynamic.get(&key("a"))).await.unwrap();
        assert_eq!(whole.unwrap().data["data"]["v"], "1");
        let slim = within("metadata", metadata.list(&everything)).await;
        assert_eq!(keys(&slim.unwrap()), "default/b");
    }
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 3);

    // The forms are removed one by one, too.
    assert!(within("the end", dynamic.remove()).await);
    within(
        "two watches",
        cluster.control.await_watches("configmaps", 2),
    )
    .await;
    cache.factory().shutdown().await;
}

/// I-07, I-04, I-05, I-08.
#[tokio::test]
async fn i07_an_index_starts_no_informer_and_outlives_its_informer() {
    let cluster = Cluster::start().await;
    for (namespace, name, value) in [("b", "x", "red"), ("a", "y", "red"), ("a", "x", "blue")] {
        let map = in_namespace(namespace, name, value);
        cluster.control.create_direct(map).unwrap();
    }
    let factory = cluster.builder().namespaces(["a", "b"]).build().unwrap();
    let cache = Cache::builder(factory).build().unwrap();
    cache.factory().start().unwrap();
    let reader = cache.of::<ConfigMap>();
    reader
        .add_index("colour", |map: &ConfigMap| Some(value(map).to_owned()))
        .unwrap();
    assert_eq!(cluster.control.requests().len(), 0);
    let twice = reader.add_index("colour", |_: &ConfigMap| Some(1_u32));
    assert!(twice.unwrap_err().to_string().contains("`colour` exists"));

    for _ in 0..2 {
        let (all, b) = (
            CacheListOptions::new(),
            CacheListOptions::new().namespace("b"),
        );
        let red = within("a read", reader.list_by_index("colour", "red", &all)).await;
        assert_eq!(keys(&red.unwrap()), "a/y b/x");
        let red = reader.list_by_index("colour", "red", &b).await;
        assert_eq!(keys(&red.unwrap()), "b/x");
        let y = CacheListOptions::new().selector("app=y".parse().unwrap());
        let red = reader.list_by_index("colour", "red", &y).await;
        assert_eq!(keys(&red.unwrap()), "a/y");
        assert!(within("the end", reader.remove()).await);
    }
    // An index of a running informer is available at once.
    within("a read", reader.list(&CacheListOptions::new()))
        .await
        .unwrap();
    reader
        .add_index("name", |map: &ConfigMap| map.metadata.name.clone())
        .unwrap();
    let x = reader
        .list_by_index("name", "x", &CacheListOptions::new())
        .await;
    assert_eq!(keys(&x.unwrap()), "a/x b/x");
    let unknown = reader
        .list_by_index("size", "x", &CacheListOptions::new())
        .await;
    assert!(chain(&unknown.unwrap_err()).contains("`size` does not exist"));
    cache.factory().shutdown().await;
}

/// H-15: the cached objects stay readable, and the next read starts a new informer.
#[tokio::test]
async fn h15_removed_informers_are_gone_and_the_next_read_is_a_first_one() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let cache = cache(&cluster);
    within("a read", cache.get::<ConfigMap>(&key("a")))
        .await
        .unwrap();
    let informer = cache.of::<ConfigMap>().informer().unwrap();
    let mut events = informer.events(HandlerOptions::new()).unwrap();
    let registration = informer.add_event_handler(|_| {}).unwrap();

    assert!(within("the end", cache.of::<ConfigMap>().remove()).await);
    assert!(informer.is_stopped());
    within("no watch", cluster.control.await_watches("configmaps", 0)).await;
    // The handlers end: the stream ends, and a registration has nothing left to remove.
    let rest = async { while events.next().await.is_some() {} };
    within("the end of the stream", rest).await;
    within("the handler's end", registration.remove()).await;
    assert!(informer.add_event_handler(|_| {}).is_err());
    assert_eq!(informer.lister().len(), 1, "the last state stays readable");
    assert!(!cache.of::<ConfigMap>().remove().await);

    cluster.update("a", "2");
    let found = within("a read", cache.get::<ConfigMap>(&key("a"))).await;
    assert_eq!(value(&found.unwrap().unwrap()), "2");
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 2);

    // An informer that its user has stopped is replaced as well.
    let informer = cache.of::<ConfigMap>().informer().unwrap();
    informer.stop();
    within("its end", informer.wait_until_stopped()).await;
    let found = within("a read", cache.get::<ConfigMap>(&key("a"))).await;
    assert_eq!(value(&found.unwrap().unwrap()), "2");
    cache.factory().shutdown().await;
}

/// F-06, F-19, W-13: forbidden, not served, too late, undecodable.
#[tokio::test]
async fn f06_a_failed_read_returns_the_reason() {
    let cluster = Cluster::start().await;
    cluster.control.set_forbidden("secrets", true);
    let internal = Fault::status(500, "InternalError", "etcd is away");
    let of_maps = Matcher::any().resource("configmaps");
    cluster.control.fail_next(usize::MAX, of_maps, internal);
    let failures = Failures::default();
    let config = quick().watch_list(WatchListMode::Never);
    let config = config.error_handler(failures.handler());
    let factory = cluster.builder().config(config).build().unwrap();
    let cache = Cache::builder(factory)
        .sync_timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    cache.factory().start().unwrap();
    // Ensures on a busy machine that the causes are known when the reads wait.
    cache.of::<Secret>().informer().unwrap();
    cache.of::<ConfigMap>().informer().unwrap();
    for cause in ["HTTP 403", "etcd is away"] {
        let matches = |failure: &ReflectorError| chain(failure).contains(cause);
        failures.until(cause, matches).await;
    }

    let forbidden = within("an answer", cache.get::<Secret>(&key("a"))).await;
    let forbidden = forbidden.unwrap_err();
    assert!(chain(&forbidden).starts_with("`secrets.v1` has not synced: forbidden"));
    let everything = CacheListOptions::new();
    let list = cache.list::<ConfigMap>(&everything);
    let late = within("an answer", list).await.unwrap_err();
    assert!(
        matches!(
            late,
            CacheError::NotSynced {
                cause: SyncError::Timeout { .. },
                ..
            }
        ),
        "{}",
        chain(&late)
    );
    assert!(chain(&late).contains("etcd is away"), "{}", chain(&late));
    let widgets = ResourceInfo {
        api_resource: ApiResource {
            group: "example.com".to_owned(),
            version: "v1".to_owned(),
            api_version: "example.com/v1".to_owned(),
            kind: "Widget".to_owned(),
            plural: "widgets".to_owned(),
        },
        ..maps()
    };
    let widgets = cache.of_resource::<DynamicObject>(widgets);
    widgets.informer().unwrap();
    let matches = |failure: &ReflectorError| chain(failure).contains("HTTP 404");
    failures.until("HTTP 404", matches).await;
    let missing = widgets.get(&key("a")).await.unwrap_err();
    assert!(
        chain(&missing).contains("not served"),
        "{}",
        chain(&missing)
    );

    // The informers have kept retrying.
    cluster.control.clear_faults();
    let maps = &cache.of::<ConfigMap>().informer().unwrap();
    let synced = maps.indexer().wait_until(|cached| cached.is_synced());
    within("the maps", synced).await;
    let stored = cluster.create("a", "1");
    crate::support::until_cached(maps, "a=1").await;
    assert!(cache.get::<ConfigMap>(&key("a")).await.unwrap().is_some());

    // An undecodable object is neither present nor missing.
    let spoiled = cluster.spoil(stored);
    let undecodable =
        move |snapshot: &informer::Snapshot<_>| snapshot.undecodable(&key("a")).is_some();
    within("the bad object", maps.indexer().wait_until(undecodable)).await;
    let error = cache.get::<ConfigMap>(&key("a")).await.unwrap_err();
    assert!(matches!(error, CacheError::Get(_)));
    assert!(error.to_string().contains(&spoiled.to_string()), "{error}");
    cache.factory().shutdown().await;
}

#[tokio::test]
async fn contradictory_settings_are_errors_of_the_builder() {
    let cluster = Cluster::start().await;
    let fault = |builder: CacheBuilder| builder.build().unwrap_err();
    let maps = InformerOptions::<ConfigMap>::new;
    assert_eq!(
        fault(builder(&cluster).with_type(maps()).with_type(maps())),
        CacheBuildError::TypeTwice("configmaps.v1".to_owned())
    );
}
