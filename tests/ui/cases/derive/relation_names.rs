//! Relations that are given twice, and names that are taken.

use std::collections::BTreeMap;

use informer_derive::Informer;
use stub::CustomResource;
use stub::k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret};

struct Index;

#[derive(CustomResource, Informer)]
#[kube(kind = "Site", namespaced)]
#[informer(crate = stub, index(path = "spec.name", name = "by_config_map"))]
#[informer(owns(Pod, Pod, Secret))]
#[informer(references(
    Node = "spec.name",
    Node = spec.name,
    Secret = spec.name,
    Secret(path = spec.name, accessor = "pods_of"),
    ConfigMap = spec.name,
    Index = spec.name,
    Node(path = spec.name, accessor = "enqueue_into"),
))]
#[informer(selects(
    Node(path = "spec.selector", accessor = "selected"),
    Node(path = "spec.other", accessor = "selected"),
    Node(path = "spec.other", accessor = "selected"),
    ConfigMap = "spec.selector",
    ConfigMap = "spec.other",
))]
struct SiteSpec {
    name: String,
    selector: BTreeMap<String, String>,
    other: BTreeMap<String, String>,
}

fn main() {}
