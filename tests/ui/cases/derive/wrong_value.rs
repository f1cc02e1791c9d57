use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = 5, accessor = foos, "spec.name", index, index("spec.name"))]
#[informer(index(path = "spec.name", value = "not a type"), index(name = "by_x", with = 1 + 1))]
struct FooSpec {
    name: String,
}

fn main() {}

