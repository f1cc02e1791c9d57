//! The attribute without its derive.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.name")]
struct FooSpec {
    name: String,
}

fn main() {}
