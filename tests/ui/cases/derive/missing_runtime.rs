//! The crate `informer` is not a dependency, or has another name.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(index = "spec.name")]
struct FooSpec {
    name: String,
}

fn main() {}
