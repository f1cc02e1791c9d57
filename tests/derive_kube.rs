//! `#[derive(Informer)]` next to the real `#[derive(CustomResource)]`, serde and schemars.
//!
//! informer-derive tests the special cases without kube's derive. The tests here show that `Informer`
//! and the real derives read the same attributes in the same way.

#![deny(missing_docs, unused_qualifications)]

#[path = "support/fed.rs"]
mod fed;
#[path = "derive_kube/relations.rs"]
mod relations;
#[path = "derive_kube/values.rs"]
mod values;

use std::sync::Arc;

use fed::{Result, factory, feed};
use informer::advanced::Indexer;
use informer::storage::Entry;
use informer::testing::FakeControllerSource;
use informer::{
    FieldSelector, Informer, InformerOptions, NamespaceLister, ObjectKey, Packed, Scope,
    SharedInformer, Snapshot,
};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, PodTemplateSpec};
use kube::core::ObjectMeta;
use kube::{CustomResource, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

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
#[informer(index = status.phase, index = "metadata.labels['app']")]
#[informer(
    index = spec.pod_template.images,
    index = "spec.workload.spec.nodeName",
    index = "metadata.ownerReferences.uid"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
    pod_template: Option<PodTemplate>,
    workload: Option<PodTemplateSpec>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct PodTemplate {
    images: Vec<String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
pub(crate) struct FooStatus {
    phase: Option<String>,
}

/// The fields of the spec are at the root of the document.
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

/// The derive on the root type, through kube's derive.
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
#[kube(attr = r#"informer(index = spec.host, selectable = ".spec.host")"#)]
struct GatewaySpec {
    host: String,
}

/// Projection of `ConfigMap`, with kube's own derive.
#[derive(Resource, Informer, Deserialize, Clone, Debug)]
#[resource(inherit = ConfigMap)]
#[informer(accessor = "config_map_owners", scope = "Namespaced")]
#[informer(index(owner), index(label = "app"))]
struct ConfigMapOwners {
    metadata: ObjectMeta,
}

/// Marker for a type of another crate.
#[derive(Informer)]
#[informer(of = Pod, accessor = "pods_by_node", scope = "Namespaced")]
#[informer(selectable = "spec.nodeName")]
#[informer(index = "spec.nodeName", index = "spec.containers.image")]
#[informer(index(path = "status.podIP", name = "by_ip", unique))]
#[informer(index(path = spec.node_name, name = "by_field"))]
#[informer(index(owner = ReplicaSet, name = "by_replica_set"))]
struct NodePod;

/// Enums may be specs.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Backend", namespaced)]
#[kube(selectable = ".spec.http.host", selectable = ".spec.kind")]
#[informer(index(name = "by_host", with = hosts, unique))]
#[serde(rename_all = "camelCase")]
enum BackendSpec {
    Http { host: String },
    Tcp { port: u16 },
}

fn hosts(backend: &Backend) -> Vec<String> {
    match &backend.spec {
        BackendSpec::Http { host } => vec![host.clone()],
        BackendSpec::Tcp { port } => vec![format!(":{port}")],
    }
}

/// Returns the object of this kind in `objects.yaml`.
fn document(kind: &str) -> Result<Value> {
    let objects = informer_manifest::parse::<Value>(include_str!("derive_kube/objects.yaml"))?;
    let mut objects = objects.into_iter();
    let found = objects.find(|object| object["kind"] == kind);
    Ok(found.ok_or("no object has the kind")?)
}

#[tokio::test]
async fn s08_paths_are_spelt_as_in_the_document_that_serde_reads() -> Result {
    let foos = factory()?.foos();
    feed(&foos, document("Foo")?)?;
    let lister = foos.lister();
    assert_eq!(lister.by_deployment_name("web").len(), 1);
    assert_eq!(lister.by_replicas(2).len(), 1);
    assert_eq!(lister.by_phase("Ready").len(), 1);
    assert_eq!(lister.by_app("shop").len(), 1);
    assert_eq!(lister.by_images("i2").len(), 1);
    assert_eq!(lister.by_node_name("n").len(), 1);
    assert_eq!(lister.by_uid("u1").len(), 1);
    assert!(lister.by_deployment_name("db").is_empty());
    for (name, value) in [("spec.deploymentName", "web"), ("spec.replicas", "2")] {
        assert_eq!(lister.by_index(name, value)?.len(), 1, "{name}");
    }
    Ok(())
}

/// S-08: two calls of an accessor return the same informer and the same indices.
#[tokio::test]
async fn s08_every_accessor_of_a_factory_is_the_same_informer() -> Result {
    let factory = factory()?;
    let (first, second) = (factory.foos(), factory.foos());
    feed(&first, document("Foo")?)?;
    assert_eq!(second.lister().by_deployment_name("web").len(), 1);
    let plain: &SharedInformer<Foo> = &first;
    assert_eq!(format!("{:?}", *second), format!("{plain:?}"));
    assert_eq!(
        second.lister().index_names().len(),
        8,
        "the namespace index, and seven derived indices"
    );
    Ok(())
}

#[tokio::test]
async fn s02_the_namespace_lister_sees_its_namespace_only() -> Result {
    let foos = factory()?.foos();
    feed(&foos, document("Foo")?)?;
    let lister: FooLister = foos.lister();
    let inside: NamespaceLister<'_, Foo> = lister.namespace("default");
    assert!(inside.get("a").is_some());
    assert!(foos.lister().namespace("other").get("a").is_none());
    Ok(())
}

#[tokio::test]
async fn fields_of_a_type_without_spec_are_at_the_root() -> Result {
    let informer: FlatPolicyInformer = factory()?.network_policies();
    feed(&informer, document("NetworkPolicy")?)?;
    assert_eq!(informer.lister().by_policy_types("Ingress").len(), 1);
    Ok(())
}

#[tokio::test]
async fn kube_derive_passes_the_derive_to_the_root_type() -> Result {
    let gates = factory()?.gates();
    feed(&gates, document("Gateway")?)?;
    assert_eq!(gates.lister().by_host("h").len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_projection_is_an_informer_of_its_own() -> Result {
    let informer = factory()?.config_map_owners();
    feed(&informer, document("ConfigMap")?)?;
    let lister = informer.lister();
    assert_eq!(lister.resource().gvr().to_string(), "configmaps.v1");
    assert_eq!(lister.by_app("shop").len(), 1);
    assert_eq!(lister.by_owner_uid("u").len(), 1);
    assert!(lister.by_owner_uid("x").is_empty());
    Ok(())
}

#[tokio::test]
async fn a_marker_stands_for_a_type_of_another_crate() -> Result {
    let informer: NodePodInformer = factory()?.pods_by_node();
    feed(&informer, document("Pod")?)?;
    let lister = informer.lister();
    assert_eq!(lister.by_node_name("n").len(), 1);
    assert_eq!(lister.by_field("n").len(), 1);
    assert_eq!(lister.by_image("i").len(), 1);
    assert!(lister.by_ip("10.0.0.1").is_some());
    let web = ObjectKey::namespaced("default", "web");
    assert_eq!(lister.by_replica_set(&web).len(), 1);
    Ok(())
}

/// I-09: the accessors of a snapshot read one moment, regardless of later writes.
#[tokio::test]
async fn i09_a_snapshot_reads_its_indices_at_one_moment() -> Result {
    let informer = factory()?.pods_by_node();
    let before: NodePodListerSnapshot = informer.lister().snapshot();
    feed(&informer, document("Pod")?)?;
    let after = informer.lister().snapshot();
    let mut moved = document("Pod")?;
    moved["spec"]["nodeName"] = json!("m");
    feed(&informer, moved)?;

    assert!(before.by_node_name("n").is_empty());
    assert!(before.by_ip("10.0.0.1").is_none());
    assert_eq!(after.by_node_name("n").len(), 1);
    assert!(after.by_ip("10.0.0.1").is_some());
    assert!(informer.lister().by_node_name("n").is_empty());
    let whole: &Snapshot<Pod> = &after;
    assert_eq!(whole.len(), 1);
    Ok(())
}

/// The lookup of a duplicate value returns the first object in key order, regardless of the order
/// of insertion.
#[tokio::test]
async fn a_unique_value_is_that_of_the_first_by_key() -> Result {
    let informer = factory()?.backends();
    for name in ["b", "a", "c"] {
        let mut backend = document("Backend")?;
        backend["metadata"]["name"] = json!(name);
        feed(&informer, backend)?;
    }
    let found = informer
        .lister()
        .by_host("h")
        .ok_or("no object has the value")?;
    assert_eq!(found.metadata.name.as_deref(), Some("a"));
    let found = informer.lister().snapshot().by_host("h").ok_or("nothing")?;
    assert_eq!(found.metadata.name.as_deref(), Some("a"));
    assert!(informer.lister().by_host("other").is_none());
    Ok(())
}

#[test]
fn selectable_fields_are_constants_for_field_selectors() -> Result {
    let selector = FieldSelector::everything().equals(BackendLookups::SPEC_HTTP_HOST, "h")?;
    assert_eq!(selector.to_string(), "spec.http.host=h");
    assert_eq!(BackendLookups::SPEC_KIND, "spec.kind");
    assert_eq!(GatewayLookups::SPEC_HOST, "spec.host");
    assert_eq!(NodePodLookups::SPEC_NODE_NAME, "spec.nodeName");
    let _ = InformerOptions::<Backend>::new().field_selector(selector);
    Ok(())
}

/// The accessors above are these plurals. This test fails if kube-derive changes its rule.
#[test]
fn plurals_are_those_that_kube_derive_gives() {
    assert_eq!(Foo::plural(&()), "foos");
    assert_eq!(FlatPolicy::plural(&()), "networkpolicies");
    assert_eq!(Gateway::plural(&()), "gates");
    assert_eq!(Backend::plural(&()), "backends");
}

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Gadget", namespaced)]
#[informer(index = "spec.host", index = "spec.port", index = "spec.zone")]
#[informer(index(label = "app"), index(owner))]
struct GadgetSpec {
    host: String,
    port: Option<u16>,
    /// serde supplies a default for a missing value, so only the object has the value.
    #[serde(default = "home")]
    zone: String,
}

fn home() -> String {
    "home".to_owned()
}

/// S-08, I-15: a derived wrapper reads the bytes where possible. Its other indices share one
/// decoding of each version.
#[tokio::test]
async fn i15_packed_accessors_of_a_derived_type_decode_a_version_once() -> Result {
    let source = FakeControllerSource::new();
    for (name, port) in [("a", json!(80)), ("b", json!(null))] {
        let metadata = json!({"name": name, "namespace": "default", "labels": {"app": "shop"}});
        let spec = json!({"host": name, "port": port});
        source.add(&json!({
            "apiVersion": "example.com/v1", "kind": "Gadget", "metadata": metadata, "spec": spec,
        }))?;
    }
    let informer = SharedInformer::<Gadget, Packed>::builder(source).build()?;
    let gadgets: GadgetInformer<Packed> = GadgetInformer::try_from(informer.clone())?;
    let stop = CancellationToken::new();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(informer.run(stop.clone()));
    informer.wait_for_sync().await?;
    let lister = gadgets.lister();
    assert_eq!(lister.by_host("b")[0].key().name(), "b");
    assert_eq!(lister.by_port(80)[0].key().name(), "a");
    assert_eq!(lister.snapshot().by_app("shop").len(), 2);
    assert_eq!(
        lister.by_zone("home").len(),
        2,
        "the index contains default values of serde"
    );
    assert_eq!(informer.metrics().decoded_objects, 2);
    stop.cancel();
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    Ok(())
}

/// S-08: `stored_as` has the accessors of the factory, and a wrapper has its own settings.
#[tokio::test]
async fn s08_accessors_work_with_every_factory() -> Result {
    let factory = factory()?;
    let packed: GadgetInformer<Packed> = factory.stored_as::<Packed>().gadgets();
    assert_eq!(packed.storage().memory().objects, 0);
    let typed: GadgetInformer = factory.gadgets();
    let green = GadgetInformer::with(&factory, InformerOptions::new().namespace("green"));
    assert!(typed.namespaces().is_empty());
    assert_eq!(green.namespaces(), ["green".into()]);
    assert_ne!(typed.name(), packed.name());
    Ok(())
}

/// A test of a reconcile function can use the derived lister over a hand-filled store.
#[test]
fn a_lister_is_made_from_a_store() -> Result {
    let indexer = Indexer::new(Scope::Namespaced);
    let lister = GadgetLister::try_from(&indexer)?;
    let spec = GadgetSpec {
        host: "web".to_owned(),
        port: None,
        zone: home(),
    };
    let mut gadget = Gadget::new("a", spec);
    gadget.metadata.namespace = Some("default".to_owned());
    indexer.add(Entry::from(Arc::new(gadget)));
    assert_eq!(lister.by_host("web").len(), 1);
    assert!(lister.namespace("default").get("a").is_some());
    Ok(())
}
