//! Relations that `#[derive(Informer)]` declares, over stores that the tests fill.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer::advanced::Indexer;
use informer::storage::Entry;
use informer::{Informer, Object, ObjectKey, Scope};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, LocalObjectReference, Pod, Secret, Service};
use k8s_openapi::api::networking::v1::IngressClass;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::fed::{Result, factory, feed};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
#[informer(
    owns(Deployment, Service(accessor = "fronts")),
    references(
        Secret = spec.tls.secret_name,
        Secret = "spec.tokenSecrets",
        Secret(path = "spec.pullSecrets.name", accessor = "pull_secrets"),
        ConfigMap = "spec.configName",
        ConfigMap(
            path = spec.shared.name,
            namespace = spec.shared.namespace,
            kind = spec.shared.kind,
            accessor = "shared_configs",
        ),
        IngressClass = metadata.labels["class"],
    ),
    selects(Pod = "spec.selector", Pod(path = spec.exclude, accessor = "excluded"))
)]
#[serde(rename_all = "camelCase")]
struct WebsiteSpec {
    tls: Option<Tls>,
    #[serde(default)]
    token_secrets: Vec<String>,
    #[serde(default)]
    pull_secrets: Vec<LocalObjectReference>,
    config_name: Option<String>,
    #[serde(default)]
    shared: Vec<Shared>,
    selector: Option<LabelSelector>,
    #[serde(default)]
    exclude: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tls {
    secret_name: String,
}

/// Reference to an object of a kind and a namespace that the reference names.
#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
struct Shared {
    name: String,
    namespace: Option<String>,
    kind: String,
}

const SITE: &str = "site";

fn website(spec: &Value) -> Value {
    let metadata = json!({
        "name": SITE, "namespace": "web", "uid": "site-uid", "labels": {"class": "public"},
    });
    json!({"apiVersion": "example.com/v1", "kind": "Website", "metadata": metadata, "spec": spec})
}

fn object(namespace: &str, name: &str, labels: &Value) -> Value {
    json!({"metadata": {"name": name, "namespace": namespace, "labels": labels}})
}

fn in_web(name: &str) -> ObjectKey {
    ObjectKey::namespaced("web", name)
}

/// Returns a lister over a store with one Website.
fn lister(spec: &Value) -> Result<WebsiteLister> {
    let indexer = Indexer::new(Scope::Namespaced);
    let lister = WebsiteLister::try_from(&indexer)?;
    let site: Website = serde_json::from_value(website(spec))?;
    indexer.add(Entry::from(Arc::new(site)));
    Ok(lister)
}

fn names<K: Object>(objects: &[Arc<K>]) -> Vec<String> {
    let keys = objects.iter().map(|object| ObjectKey::of(&**object));
    keys.map(|key| key.to_string()).collect()
}

#[test]
fn a_referenced_key_finds_its_referrers() -> Result {
    let sites = lister(&json!({
        "tls": {"secretName": "cert"},
        "tokenSecrets": ["token-a", "token-b"],
        "pullSecrets": [{"name": "pull-a"}, {"name": "pull-b"}],
        "configName": "config",
    }))?;
    for name in ["cert", "token-a", "token-b"] {
        assert_eq!(
            names(&sites.by_secret(&in_web(name))),
            ["web/site"],
            "{name}"
        );
        assert!(sites.by_pull_secrets(&in_web(name)).is_empty(), "{name}");
    }
    for name in ["pull-a", "pull-b"] {
        assert_eq!(
            names(&sites.by_pull_secrets(&in_web(name))),
            ["web/site"],
            "{name}"
        );
        assert!(sites.by_secret(&in_web(name)).is_empty(), "{name}");
    }
    assert_eq!(names(&sites.by_config_map(&in_web("config"))), ["web/site"]);
    let public = ObjectKey::cluster("public");
    assert_eq!(names(&sites.by_ingress_class(&public)), ["web/site"]);

    // Without a path of the namespace, a reference stays in the namespace of the object.
    let elsewhere = ObjectKey::namespaced("other", "cert");
    assert!(sites.by_secret(&elsewhere).is_empty());
    assert!(sites.by_ingress_class(&in_web("public")).is_empty());
    Ok(())
}

/// Each element of a list keeps its own name, namespace and kind.
#[test]
fn a_reference_may_name_a_namespace_and_a_kind() -> Result {
    let sites = lister(&json!({"shared": [
        {"kind": "ConfigMap", "name": "a", "namespace": "one"},
        {"kind": "ConfigMap", "name": "b"},
        {"kind": "Secret", "name": "c", "namespace": "two"},
    ]}))?;
    let found = |namespace: &str, name: &str| {
        let key = ObjectKey::namespaced(namespace, name);
        sites.by_shared_configs(&key).len()
    };
    assert_eq!((found("one", "a"), found("web", "b")), (1, 1));
    for (namespace, name) in [("web", "a"), ("one", "b"), ("two", "c"), ("two", "a")] {
        assert_eq!(found(namespace, name), 0, "{namespace}/{name}");
    }
    assert!(
        sites
            .by_config_map(&ObjectKey::namespaced("one", "a"))
            .is_empty()
    );
    Ok(())
}

#[test]
fn an_object_finds_the_objects_that_select_it() -> Result {
    let sites = lister(&json!({
        "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
        "exclude": {"tier": "test"},
    }))?;
    let pod = |namespace: &str, labels: &Value| -> Result<Pod> {
        Ok(serde_json::from_value(object(namespace, "p", labels))?)
    };
    let chosen = pod("web", &json!({"app": "b"}))?;
    assert_eq!(names(&sites.selecting(&chosen)), ["web/site"]);
    assert!(sites.selecting_excluded(&chosen).is_empty());
    let excluded = pod("web", &json!({"app": "c", "tier": "test"}))?;
    assert!(sites.selecting(&excluded).is_empty());
    assert_eq!(names(&sites.selecting_excluded(&excluded)), ["web/site"]);
    let elsewhere = pod("other", &json!({"app": "b"}))?;
    assert!(sites.selecting(&elsewhere).is_empty());
    Ok(())
}

/// The relations read the informers that the factory shares.
#[tokio::test]
async fn the_graph_returns_the_related_objects() -> Result {
    let factory = factory()?;
    let sites = factory.websites();
    let graph: WebsiteRelated = sites.related(&factory);
    let spec = json!({
        "tls": {"secretName": "cert"},
        "tokenSecrets": ["missing"],
        "selector": {"matchLabels": {"app": "a"}},
    });
    feed(&sites, website(&spec))?;
    let mut owned = object("web", "front", &json!({}));
    owned["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "example.com/v1", "kind": "Website", "name": SITE, "uid": "site-uid",
        "controller": true,
    }]);
    feed(graph.deployments().informer(), owned.clone())?;
    feed(graph.fronts().informer(), owned)?;
    let other = object("web", "other", &json!({}));
    feed(graph.fronts().informer(), other)?;
    for (name, label) in [("p", "a"), ("q", "b")] {
        let pod = object("web", name, &json!({"app": label}));
        feed(graph.pods().informer(), pod)?;
    }
    let cert = object("web", "cert", &json!({}));
    feed(graph.secrets().informer(), cert)?;

    let lister = sites.lister();
    let site = lister.namespace("web").get(SITE).ok_or("not cached")?;
    assert_eq!(names(&graph.deployments_of(&site)), ["web/front"]);
    assert_eq!(names(&graph.fronts_of(&site)), ["web/front"]);
    assert_eq!(names(&graph.pods_of(&site)), ["web/p"]);
    let secrets = graph.secrets_of(&site);
    let is_cached = |at: usize| secrets[at].object.is_ok();
    assert_eq!(secrets[0].key, in_web("cert"));
    assert_eq!(secrets[1].key, in_web("missing"));
    assert_eq!(
        (secrets.len(), is_cached(0), is_cached(1)),
        (2, true, false)
    );
    assert!(graph.pull_secrets_of(&site).is_empty());
    Ok(())
}
