//! The CRD declares the selectable fields.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, selectable = "spec.name")]
struct FooSpec {
    name: String,
}

fn main() {}
