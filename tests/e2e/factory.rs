//! Settings of a factory: scopes and selectors.

use informer::{InformerOptions, WatchListMode};
use informer_apiserver::{Matcher, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;

use crate::support::{Cluster, MODES, cached, quick, sync, until_cached, within};

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
        sync(&factory).await;
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
            // A probe follows the lost connection.
            assert_eq!(lists, usize::from(mode == WatchListMode::Never) + 1);
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
