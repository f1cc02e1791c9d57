//! `#[kube(...)]` without the derive that reads it.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(Informer)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(crate = stub)]
struct FooSpec {
    name: String,
}

fn main() {}
