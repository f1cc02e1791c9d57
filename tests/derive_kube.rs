//! `#[derive(Informer)]` beside the real `#[derive(CustomResource)]`, serde and schemars.
//!
//! The diagnostics and the awkward places are tested in informer-derive, which does without kube;
//! here is what only the real one can show: that both read the same attributes in the same way.

#![deny(missing_docs, unused_qualifications)]

use std::error::Error;
use std::sync::Arc;

use informer::{Entry, Informer, ObjectKey, SharedInformer, SharedInformerFactory};
use kube::{CustomResource, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced
)]
#[kube(
    status = "FooStatus",
    shortname = "f",
    crates(k8s_openapi = "k8s_openapi")
)]
#[kube(printcolumn(json_path = ".spec.replicas", name = "Replicas", type_ = "integer"))]
#[informer(index = "spec.deploymentName", index = "spec.replicas")]
#[informer(index = "status.phase", index = "metadata.labels['app']")]
#[informer(
    index = "spec.podTemplate.images",
    index = "metadata.ownerReferences.uid"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
    pod_template: Option<PodTemplate>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct PodTemplate {
    images: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct FooStatus {
    phase: Option<String>,
}

/// The fields of the spec stand at the root of the document.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "NetworkPolicy",
    root = "FlatPolicy"
)]
#[kube(no_spec)]
#[informer(index = "policyTypes")]
#[serde(rename_all = "camelCase")]
struct NetworkPolicySpec {
    policy_types: Vec<String>,
}

/// The derive on the root type, through kube's.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "example.com",
    version = "v1",
    kind = "Gateway",
    singular = "gate",
    namespaced
)]
#[kube(derive = "Informer")]
#[kube(attr = r#"informer(accessor = "gates", scope = "Namespaced")"#)]
#[kube(attr = r#"informer(index = "spec.host")"#)]
struct GatewaySpec {
    host: String,
}

/// A factory whose informers nobody starts: they are fed by hand.
fn factory() -> Result<SharedInformerFactory, Box<dyn Error>> {
    let config = kube::Config::new("http://127.0.0.1:1".parse()?);
    Ok(SharedInformerFactory::builder(informer::connect(config)?).build()?)
}

/// Puts a document into an informer's store.
fn feed<K>(informer: &SharedInformer<K>, document: &str) -> Result<(), Box<dyn Error>>
where
    K: informer::Object<DynamicType = ()>,
{
    let object: K = serde_json::from_str(document)?;
    let (key, handle) = (ObjectKey::of(&object), Arc::new(object));
    let (uid, resource_version) = (None, "1".into());
    informer.indexer().add(Entry {
        key,
        uid,
        resource_version,
        handle,
    });
    Ok(())
}

const FOO: &str = r#"{
    "apiVersion": "samplecontroller.k8s.io/v1alpha1", "kind": "Foo",
    "metadata": {
        "name": "a", "namespace": "default", "labels": {"app": "shop"},
        "ownerReferences": [{"apiVersion": "v1", "kind": "X", "name": "x", "uid": "u1"}]
    },
    "spec": {"deploymentName": "web", "replicas": 2, "podTemplate": {"images": ["i1", "i2"]}},
    "status": {"phase": "Ready"}
}"#;

/// S-08.
#[tokio::test]
async fn s08_paths_are_spelt_as_in_the_document_that_serde_reads() -> Result<(), Box<dyn Error>> {
    let foos = factory()?.foos();
    feed(&foos, FOO)?;
    let lister = foos.lister();
    assert_eq!(lister.by_deployment_name("web").len(), 1);
    assert_eq!(lister.by_replicas(2).len(), 1);
    assert_eq!(lister.by_phase("Ready").len(), 1);
    assert_eq!(lister.by_app("shop").len(), 1);
    assert_eq!(lister.by_images("i2").len(), 1);
    assert_eq!(lister.by_uid("u1").len(), 1);
    assert!(lister.by_deployment_name("db").is_empty());
    for (name, value) in [("spec.deploymentName", "web"), ("spec.replicas", "2")] {
        assert_eq!(lister.by_index(name, value)?.len(), 1, "{name}");
    }
    Ok(())
}

/// S-08: asking twice gives the same informer and the same indices.
#[tokio::test]
async fn s08_every_accessor_of_a_factory_is_the_same_informer() -> Result<(), Box<dyn Error>> {
    let factory = factory()?;
    let (first, second) = (factory.foos(), factory.foos());
    feed(&first, FOO)?;
    assert_eq!(second.lister().by_deployment_name("web").len(), 1);
    assert_eq!(
        second.lister().index_names().len(),
        7,
        "the namespace index, and six of ours"
    );
    Ok(())
}

/// S-02.
#[tokio::test]
async fn s02_the_namespace_lister_sees_its_namespace_only() -> Result<(), Box<dyn Error>> {
    let foos = factory()?.foos();
    feed(&foos, FOO)?;
    let inside: FooNamespaceLister = foos.lister().namespace("default");
    assert!(inside.get("a").is_some());
    assert!(foos.lister().namespace("other").get("a").is_none());
    Ok(())
}

#[tokio::test]
async fn fields_of_a_type_without_spec_are_at_the_root() -> Result<(), Box<dyn Error>> {
    let document = r#"{
        "apiVersion": "example.com/v1", "kind": "NetworkPolicy",
        "metadata": {"name": "a"}, "policyTypes": ["Ingress"]
    }"#;
    let informer: FlatPolicyInformer = factory()?.network_policies();
    feed(&informer, document)?;
    assert_eq!(informer.lister().by_policy_types("Ingress").len(), 1);
    Ok(())
}

#[tokio::test]
async fn kube_derive_hands_the_derive_on_to_the_root_type() -> Result<(), Box<dyn Error>> {
    let document = r#"{
        "apiVersion": "example.com/v1", "kind": "Gateway",
        "metadata": {"name": "a"}, "spec": {"host": "h"}
    }"#;
    let gates = factory()?.gates();
    feed(&gates, document)?;
    assert_eq!(gates.lister().by_host("h").len(), 1);
    Ok(())
}

/// The accessors above are these plurals: if kube-derive ever changes its rule, this fails.
#[test]
fn plurals_are_those_that_kube_derive_gives() {
    assert_eq!(Foo::plural(&()), "foos");
    assert_eq!(FlatPolicy::plural(&()), "networkpolicies");
    assert_eq!(Gateway::plural(&()), "gates");
}
