//! Methods of the lister and of its snapshots are reserved.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index(path = "spec.name", name = "snapshot"))]
#[informer(index(path = "spec.generation", name = "generation"))]
#[informer(index(path = "spec.host", name = "by-host"))]
struct FooSpec {
    name: String,
    generation: u64,
    host: String,
}

fn main() {}
