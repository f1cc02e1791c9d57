//! Paths of relations that lead nowhere, or to values of another type.

use std::collections::BTreeMap;

use informer_derive::Informer;
use stub::k8s_openapi::api::core::v1::{Node, Pod, Secret};
use stub::{CustomResource, SharedInformerFactory};

#[derive(CustomResource, Informer)]
#[kube(kind = "Site", namespaced)]
#[informer(crate = stub)]
#[informer(references(
    Secret = "spec.secretNam",
    Secret = "spec.secret_name",
    Secret = spec.secretName,
    Secret = "spec.replicas",
    Secret = spec.settings,
    Secret = "spec",
    Secret = "metadata.labels",
    Secret = metadata.generation,
    Secret = "secretName",
    Secret = spec..secret_name,
))]
#[informer(references(
    Node(path = spec.secret_name, kind = "spec.secretName", namespace = spec.nam),
    Node(path = "spec.secretName", kind = spec.secret_name, namespace = "spec.replicas", accessor = "others"),
))]
#[informer(selects(
    Pod(path = "spec.secretName", accessor = "a"),
    Pod(path = metadata.name, accessor = "b"),
    Pod(path = spec.replicas, accessor = "c"),
    Pod(path = "spec.selectr", accessor = "d"),
))]
#[serde(rename_all = "camelCase")]
struct SiteSpec {
    secret_name: Option<String>,
    replicas: Option<i32>,
    settings: BTreeMap<String, String>,
    selector: BTreeMap<String, String>,
}

/// Uses of wrong relations cause no further errors.
fn read(factory: &SharedInformerFactory, site: &Site, pod: &Pod, key: &stub::ObjectKey) {
    let sites = factory.sites();
    let graph: SiteRelated = sites.related(factory);
    let _ = (graph.secrets_of(site), graph.others_of(site), graph.a_of(site));
    let lister = sites.lister();
    let _ = (lister.by_secret(key), lister.by_node(key), lister.selecting_d(pod));
}

fn main() {}
