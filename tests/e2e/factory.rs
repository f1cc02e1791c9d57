//! Settings of a factory: scopes, selectors, transforms, conflicts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer::{
    ConfigError, GetError, HandlerOptions, InformerOptions, SharedInformerFactory, SyncError,
    Transform, WatchListMode,
};
use informer_apiserver::{Fault, Matcher, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use serde_json::json;

use crate::support::{Cluster, MODES, Recorder, cached, key, quick, until_cached, value, within};
use crate::work::Counted;

/// F-02, F-06, F-08.
#[tokio::test]
async fn f02_two_settings_of_a_type_live_side_by_side() {
    let cluster = Cluster::start().await;
    for name in ["a", "b"] {
        cluster.create(name, "1");
    }
    let mut other = crate::support::config_map("a", "2");
    other["metadata"]["namespace"] = json!("other");
    cluster.control.create_direct(other).unwrap();
    let factory = cluster.factory();
    let options = InformerOptions::<ConfigMap>::new;
    let all = factory.informer::<ConfigMap>();
    let only_a = factory.informer_with(options().label_selector("app=a".parse().unwrap()));
    let not_a = factory.informer_with(options().label_selector("app!=a".parse().unwrap()));
    let named_b =
        factory.informer_with(options().field_selector("metadata.name=b".parse().unwrap()));
    let elsewhere = factory.informer_with(options().namespace("other"));
    factory.start().unwrap();
    let result = within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let names: Vec<&str> = result.iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "configmaps.v1",
            "configmaps.v1 (fields `metadata.name=b`)",
            "configmaps.v1 (labels `app!=a`)",
            "configmaps.v1 (labels `app=a`)",
            "configmaps.v1 (namespace `other`)",
        ]
    );
    assert_eq!(cached(&all), "a=1 b=1 a=2");
    assert_eq!(cached(&only_a), "a=1 a=2");
    assert_eq!(cached(&not_a), "b=1");
    assert_eq!(cached(&named_b), "b=1");
    assert_eq!(cached(&elsewhere), "a=2");

    // Each informer follows its own scope.
    cluster.update("b", "3");
    until_cached(&not_a, "b=3").await;
    until_cached(&named_b, "b=3").await;
    cluster.delete("a");
    until_cached(&only_a, "a=2").await;
    assert_eq!(cached(&elsewhere), "a=2");
    factory.shutdown().await;
}

/// An outcome contains the settings besides the type's name, so that no informer hides another.
///
/// F-06, F-07.
#[tokio::test]
async fn f06_informers_of_one_resource_all_have_their_outcome() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let resource = informer::ResourceInfo::of::<Secret>(&()).unwrap();
    let typed = factory.informer::<Secret>();
    let dynamic = factory.dynamic(resource.clone());
    let metadata = factory.metadata(resource);
    let noop = Transform::new("noop", |_: &mut Secret| Ok(()));
    let transformed = factory.informer_with(InformerOptions::new().transform(noop));
    let projected = factory.informer::<Counted>();
    let mut names = [
        projected.name(),
        typed.name(),
        dynamic.name(),
        metadata.name(),
        transformed.name(),
    ];
    names.sort_unstable();
    factory.start().unwrap();
    let result = within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let listed: Vec<&str> = result.iter().map(|(name, _)| name).collect();
    assert_eq!(listed, names);
    assert_eq!(
        listed,
        [
            "secrets.v1",
            "secrets.v1 #2",
            "secrets.v1 (dynamic)",
            "secrets.v1 (metadata)",
            "secrets.v1 (transform `noop`)",
        ]
    );
    factory.shutdown().await;
}

/// F-15, M-04.
#[tokio::test]
async fn f15_selectors_and_tweaks_reach_lists_watches_and_streaming_lists() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        let factory = cluster
            .builder()
            .config(quick().watch_list(mode))
            .namespace("default")
            .label_selector("app in (a, b)".parse().unwrap())
            .field_selector("metadata.name!=b".parse().unwrap())
            .tweak_list_options(|resource, selectors| {
                if resource.api_resource.plural == "secrets" {
                    selectors.label = Some("tweaked=yes".parse().unwrap());
                }
            })
            .build()
            .unwrap();
        for name in ["a", "b", "c"] {
            cluster.create(name, "1");
        }
        let maps = factory.informer::<ConfigMap>();
        let _secrets = factory.informer::<Secret>();
        factory.start().unwrap();
        within("sync", factory.wait_for_cache_sync()).await.unwrap();
        assert_eq!(cached(&maps), "a=1");
        for resource in ["configmaps", "secrets"] {
            within("a watch", cluster.control.await_watches(resource, 1)).await;
            // Checks the second watch, too.
            cluster.control.disconnect_watches_of(resource);
            let watch = Matcher::any().resource(resource).verb(Verb::Watch);
            within("another", cluster.control.await_nth_request(watch, 2)).await;
        }
        let requests = cluster.control.requests();
        let sent = |request: &RecordedRequest| {
            (
                request.namespace.clone(),
                request.parameter("labelSelector"),
                request.parameter("fieldSelector"),
            )
        };
        let of = |resource: &'static str| {
            requests
                .iter()
                .filter(move |request| request.resource == resource)
        };
        let fields = Some("metadata.name!=b".to_owned());
        for (resource, labels) in [("configmaps", "app in (a,b)"), ("secrets", "tweaked=yes")] {
            let lists = of(resource).filter(|one| one.verb == Verb::List).count();
            let watches = of(resource).filter(|one| one.verb == Verb::Watch).count();
            assert_eq!(lists, usize::from(mode == WatchListMode::Never));
            assert!(watches >= 2);
            for request in of(resource) {
                let expected = (
                    "default".to_owned(),
                    Some(labels.to_owned()),
                    fields.clone(),
                );
                assert_eq!(sent(request), expected, "{request:?}");
            }
        }
        factory.shutdown().await;
    }
}

/// F-16, F-06.
#[tokio::test]
async fn f16_a_factorys_namespace_does_not_bind_cluster_scoped_types_unless_strict() {
    let cluster = Cluster::start().await;
    cluster
        .control
        .create_direct(json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "n" } }))
        .unwrap();
    let factory = cluster.builder().namespace("default").build().unwrap();
    let nodes = factory.informer::<Node>();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    assert!(nodes.lister().get("n").is_some());
    assert_eq!(nodes.namespace(), None);
    factory.shutdown().await;

    cluster.control.reset_requests();
    let strict = cluster
        .builder()
        .namespace("default")
        .strict_namespace()
        .build()
        .unwrap();
    let nodes = strict.informer::<Node>();
    let maps = strict.informer::<ConfigMap>();
    strict.start().unwrap();
    let error = within("an answer", strict.wait_for_cache_sync())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "failed to sync all caches; nodes.v1: cannot run: \
         the resource is cluster-scoped, but the factory is strict about its namespace"
    );
    assert!(matches!(
        nodes.wait_for_sync().await,
        Err(SyncError::Refused(_))
    ));
    assert!(maps.has_synced());
    assert_eq!(cluster.control.count(Verb::Watch, "nodes"), 0);
    strict.shutdown().await;
}

/// F-17, Y-02.
#[tokio::test]
async fn f17_settings_of_a_type_win_over_the_factorys() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "namespace": "default" },
    });
    cluster.control.create_direct(secret).unwrap();
    let shout = Transform::new("shout", |map: &mut ConfigMap| {
        let data = map.data.get_or_insert_default();
        data.entry("v".to_owned()).or_default().push('!');
        Ok(())
    });
    let factory = cluster
        .builder()
        .resync_period(Duration::from_secs(1))
        .label_selector("app=a".parse().unwrap())
        .with_type(
            InformerOptions::<ConfigMap>::new()
                .resync_period(Duration::ZERO)
                .transform(shout),
        )
        .with_type(InformerOptions::<Secret>::new().label_selector("app!=a".parse().unwrap()))
        .build()
        .unwrap();
    let maps = factory.informer::<ConfigMap>();
    let secrets = factory.informer::<Secret>();
    let (of_maps, of_secrets) = (Recorder::new(), Recorder::new());
    maps.add_event_handler(of_maps.handler()).unwrap();
    secrets.add_event_handler(of_secrets.handler()).unwrap();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    assert_eq!(cached(&maps), "a=1!");
    of_secrets.until_events(3).await;
    assert_eq!(
        of_secrets.events(),
        [
            "add default/s initial",
            "update default/s resync",
            "update default/s resync"
        ]
    );
    assert_eq!(of_maps.events(), ["add default/a initial"]);
    // Explicit options win over both.
    let plain = InformerOptions::new().label_selector("app!=a".parse().unwrap());
    let others = factory.informer_with::<ConfigMap>(plain);
    within("sync", others.wait_for_sync()).await.unwrap();
    assert_eq!(others.lister().len(), 0);
    factory.shutdown().await;
}

/// X-01, M-03, Y-08.
#[tokio::test]
async fn x01_each_version_is_transformed_once_before_anybody_sees_it() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        for name in ["a", "b"] {
            cluster.create(name, "1");
        }
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let transform = Transform::new("mark", move |map: &mut ConfigMap| {
            let call = counted.fetch_add(1, Ordering::SeqCst);
            assert!(call < 100, "the transform is called forever");
            let data = map.data.get_or_insert_default();
            let text = data.entry("v".to_owned()).or_default();
            assert!(!text.ends_with('!'), "twice");
            text.push('!');
            Ok(())
        });
        let factory = cluster.factory();
        let maps = factory.informer_with(
            InformerOptions::new()
                .transform(transform)
                .config(quick().watch_list(mode)),
        );
        let by_value = maps
            .add_index("v", |map: &ConfigMap| [value(map).to_owned()])
            .unwrap();
        let recorder = Recorder::new();
        let options = HandlerOptions::new().resync_period(Duration::from_secs(1));
        maps.add_event_handler_with(recorder.handler(), options)
            .unwrap();
        factory.start().unwrap();
        until_cached(&maps, "a=1! b=1!").await;
        assert_eq!(by_value.values(), ["1!"]);
        cluster.update("a", "2");
        until_cached(&maps, "a=2! b=1!").await;
        // A relist finds b unchanged, and does not transform it again. A resync does not either.
        let expired = Fault::Status {
            code: 410,
            reason: "Expired".to_owned(),
            message: "too old".to_owned(),
            retry_after: None,
        };
        let watch = Matcher::any().resource("configmaps").verb(Verb::Watch);
        cluster.control.fail_next(1, watch, expired);
        cluster.control.disconnect_watches();
        cluster.update("a", "3");
        until_cached(&maps, "a=3! b=1!").await;
        recorder
            .until("a resync of b", |notes| {
                let resync = "update default/b resync";
                notes.events.iter().any(|event| event == resync)
            })
            .await;
        assert_eq!(calls.load(Ordering::SeqCst), 4);
        assert_eq!(maps.metrics().undecodable_objects, 0);
        recorder.read(|notes| {
            assert_eq!(value(&notes.objects[&key("b")]), "1!");
            assert_eq!(notes.illegal, [""; 0]);
        });
        factory.shutdown().await;
    }
}

/// F-19, S-07.
#[tokio::test]
async fn f19_a_reader_learns_why_an_object_is_missing() {
    let cluster = Cluster::start().await;
    let factory = cluster.builder().namespace("default").build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    let lister = maps.lister();
    let why = |namespace, name| {
        let error = lister.namespace(namespace).try_get(name).unwrap_err();
        assert!(lister.namespace(namespace).get(name).is_none());
        (error.to_string(), error)
    };
    let (text, error) = why("default", "a");
    assert!(matches!(error, GetError::NotSynced { .. }));
    assert_eq!(
        text,
        "configmaps \"default/a\" is not known yet: the cache has not synced"
    );
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let (text, error) = why("default", "a");
    assert!(matches!(error, GetError::NotFound { .. }));
    assert_eq!(text, "configmaps \"default/a\" not found");
    let (text, error) = why("other", "a");
    assert!(matches!(error, GetError::OutOfScope { .. }));
    assert_eq!(
        text,
        "configmaps \"other/a\" is out of scope: only namespace `default` is cached"
    );
    factory.shutdown().await;
}

/// F-20.
#[tokio::test]
async fn f20_conflicting_settings_are_errors_of_the_builder() {
    let cluster = Cluster::start().await;
    let twice = cluster
        .builder()
        .with_type(InformerOptions::<ConfigMap>::new().namespace("a"))
        .with_type(InformerOptions::<ConfigMap>::new().namespace("b"));
    let error = twice.build().unwrap_err();
    assert!(matches!(error, ConfigError::TypeTwice(_)));
    assert!(
        error
            .to_string()
            .contains("were given twice: merge them into one `with_type`"),
        "{error}"
    );
    let error = cluster.builder().strict_namespace().build().unwrap_err();
    assert_eq!(error.to_string(), "`strict_namespace` needs a `namespace`");

    let client = cluster.client.clone();
    let outside = std::thread::spawn(move || SharedInformerFactory::builder(client).build());
    let error = outside.join().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no tokio runtime here: build the factory inside one"
    );
}
