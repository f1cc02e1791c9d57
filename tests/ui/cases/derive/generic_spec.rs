use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.name")]
struct FooSpec<T> {
    name: T,
}

fn main() {}
