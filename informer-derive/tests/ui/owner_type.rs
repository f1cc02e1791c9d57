//! The type of an owner is a resource.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index(owner = FooSpec))]
struct FooSpec {}

fn main() {}
