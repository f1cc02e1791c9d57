//! serde reads something other than the fields of the struct.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.name")]
#[serde(try_from = "RawFoo")]
struct FooSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Bar", namespaced)]
#[informer(crate = stub, index = "spec.name")]
#[serde(transparent)]
struct BarSpec {
    name: String,
}

fn main() {}
