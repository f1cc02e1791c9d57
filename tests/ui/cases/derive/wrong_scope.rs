use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub, accessor = "nodes", scope = "Namespaced")]
struct Node {
    metadata: stub::ObjectMeta,
}

stub::resource!([] Node, stub::ClusterScope, metadata);

fn main() {}

