//! One run reports all errors.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, accesor = "foos", scope = "Cluster")]
#[informer(index = "spec.nam", index = "spec[")]
struct FooSpec {
    name: String,
}

fn main() {}

