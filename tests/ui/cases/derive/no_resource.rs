//! A root type that does not implement `kube::Resource`.

use informer_derive::Informer;

#[derive(Informer)]
#[informer(accessor = "foos", scope = "Namespaced", crate = stub)]
struct Foo {
    metadata: stub::ObjectMeta,
}

fn main() {}
