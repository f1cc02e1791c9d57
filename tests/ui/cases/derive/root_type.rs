//! A root type without the keys that the macro cannot infer.

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

stub::resource!([] Foo, stub::ClusterScope, metadata);

stub::resource!([] Bar, stub::NamespaceScope, metadata);

fn main() {}

