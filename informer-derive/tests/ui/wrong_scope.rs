use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub, accessor = "nodes", scope = "Namespaced")]
struct Node {
    metadata: stub::ObjectMeta,
}

impl stub::Resource for Node {
    type Scope = stub::ClusterScope;

    fn meta(&self) -> &stub::ObjectMeta {
        &self.metadata
    }
}

fn main() {}

