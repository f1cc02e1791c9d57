use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, accessor = "foos")]
#[informer(accessor = "fooz")]
struct FooSpec {}

fn main() {}

