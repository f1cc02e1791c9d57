//! The type of an owner must be a resource.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index(owner = FooSpec))]
struct FooSpec {}

fn main() {}
