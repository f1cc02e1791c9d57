use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer]
#[informer = "foos"]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {}

