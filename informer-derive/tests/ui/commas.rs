//! Odd lists, which hide no other mistake.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub,, "spec.name")]
#[informer = "spec.name"]
#[informer(index = spec.name)]
#[informer(index = "spec.nmae")]
struct FooSpec {
    name: String,
}

fn main() {}
