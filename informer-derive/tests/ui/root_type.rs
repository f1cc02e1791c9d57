//! A root type without what cannot be told from it.

use informer_derive::Informer;

#[derive(Informer)]
#[informer(crate = stub, accessor = "foo-bars")]
struct Foo {
    metadata: stub::ObjectMeta,
}

#[derive(Informer)]
#[informer(crate = stub, scope = "namespaced")]
struct Bar {
    metadata: stub::ObjectMeta,
}

impl stub::Resource for Foo {
    type Scope = stub::ClusterScope;

    fn meta(&self) -> &stub::ObjectMeta {
        &self.metadata
    }
}

impl stub::Resource for Bar {
    type Scope = stub::NamespaceScope;

    fn meta(&self) -> &stub::ObjectMeta {
        &self.metadata
    }
}

fn main() {}

