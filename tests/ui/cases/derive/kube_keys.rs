//! Keys that belong into `#[kube(...)]`.

use informer_derive::Informer;

#[derive(Informer)]
#[informer(group = "example.com", version = "v1", kind = "Foo", namespaced, crate = stub)]
struct FooSpec {
    name: String,
}

fn main() {}
