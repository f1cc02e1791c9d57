//! Loads of evicted objects over HTTP.

use informer::factory::Budget;
use informer::storage::LoadError;
use informer::{ResourceInfo, Selector, Tiered};
use informer_apiserver::Verb;
use k8s_openapi::api::core::v1::ConfigMap;

use crate::support::{Cluster, ENCODINGS, chain, key, sync, value};

/// A load is one GET of the object, at its version, whatever the encoding of the list is and
/// whatever part of the object is cached.
#[tokio::test]
async fn an_evicted_object_is_loaded_by_one_get() {
    for encoding in ENCODINGS {
        let cluster = Cluster::start_in(encoding).await;
        for name in ["a", "b"] {
            cluster.create(name, &format!("value of {name}"));
        }
        let factory = cluster.factory();
        let tiered = factory.stored_as_with(|| Tiered::new().max_object(0));
        let resource = ResourceInfo::of_type::<ConfigMap>();
        let maps = tiered.informer::<ConfigMap>();
        let dynamic = tiered.dynamic(resource.clone());
        let metadata = tiered.metadata(resource);
        sync(&factory).await;
        let lister = maps.lister();
        let lister = lister.namespace("default");
        assert_eq!(lister.list(&"app=b".parse::<Selector>().unwrap()).len(), 1);
        let map = lister.get("a").unwrap();
        assert!(map.body().is_none());
        assert_eq!(value(&map.load().await.unwrap()), "value of a");
        let whole = dynamic.lister().get_by_key(&key("a")).unwrap();
        let whole = whole.load().await.unwrap();
        assert_eq!(whole.data["data"]["v"], "value of a");
        assert_eq!(whole.types.as_ref().unwrap().kind, "ConfigMap");
        assert!(whole.metadata.managed_fields.is_none(), "cut as in a list");
        let part = metadata.lister().get_by_key(&key("b")).unwrap();
        let part = part.load().await.unwrap();
        assert_eq!(part.metadata.labels.as_ref().unwrap()["app"], "b");
        assert_eq!(cluster.control.count(Verb::Get, "configmaps"), 3);
        let requests = cluster.control.requests();
        let mut gets = requests.iter().filter(|request| request.verb == Verb::Get);
        let version = map.resource_version().to_string();
        assert_eq!(
            gets.next().unwrap().parameter("resourceVersion"),
            Some(version)
        );
        factory.shutdown().await;
    }
}

/// Without the right to `get`, the load fails by name; after a deletion, the object is gone.
#[tokio::test]
async fn a_load_without_rights_or_of_a_deleted_object_has_a_named_error() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let factory = cluster.builder().memory(Budget::bytes(1)).build().unwrap();
    let maps = factory.stored_as::<Tiered>().informer::<ConfigMap>();
    sync(&factory).await;
    let map = maps.lister().namespace("default").get("a").unwrap();
    assert!(map.body().is_none(), "the budget has room for nothing");
    cluster.control.set_forbidden("configmaps", true);
    let error = map.load().await.unwrap_err();
    assert!(matches!(error, LoadError::Forbidden { .. }));
    let text = chain(&error);
    assert!(
        text.starts_with("loading default/a is forbidden; grant the verb `get`"),
        "{text}"
    );
    assert!(text.contains("HTTP 403"), "{text}");
    cluster.control.set_forbidden("configmaps", false);
    assert_eq!(value(&map.load().await.unwrap()), "1");
    cluster.delete("a");
    assert!(matches!(map.load().await, Err(LoadError::Gone(_))));
    factory.shutdown().await;
}
