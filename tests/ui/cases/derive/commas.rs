//! Malformed lists do not hide other mistakes.

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
