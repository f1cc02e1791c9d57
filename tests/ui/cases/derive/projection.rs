//! The macro cannot see the resource that a projection inherits from.

use informer_derive::Informer;
use stub::{ClusterScope, ObjectMeta, Resource};

struct Node {
    metadata: ObjectMeta,
}

stub::resource!([] Node, ClusterScope, metadata);

#[derive(Resource, Informer)]
#[resource(inherit = Node)]
#[informer(crate = stub)]
struct NodeName {
    metadata: ObjectMeta,
}

#[derive(Resource, Informer)]
#[resource(inherit = Node)]
#[informer(accessor = "node_labels", scope = "Namespaced", crate = stub)]
struct NodeLabels {
    metadata: ObjectMeta,
}

fn main() {}
