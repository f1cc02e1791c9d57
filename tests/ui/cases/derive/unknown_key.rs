use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, indx = "spec.name", plural = "foos", colour = "red", index(paht = "spec.name"))]
struct FooSpec {
    name: String,
}

fn main() {}

