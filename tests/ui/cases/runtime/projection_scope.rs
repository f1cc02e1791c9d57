//! A projection whose declared scope differs from the type's.

use informer::Informer;
use k8s_openapi::api::core::v1::Node;
use kube::Resource;
use kube::core::ObjectMeta;
use serde::Deserialize;

#[derive(Resource, Informer, Deserialize, Clone, Debug)]
#[resource(inherit = Node)]
#[informer(accessor = "node_labels", scope = "Namespaced")]
struct NodeLabels {
    metadata: ObjectMeta,
}

fn main() {}
