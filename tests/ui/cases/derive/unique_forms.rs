use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index(path = "spec.name", unique = true))]
#[informer(index(path = "spec.host", unique("yes")))]
#[informer(index(path = "spec.port", uniqe))]
struct FooSpec {
    name: String,
    host: String,
    port: u16,
}

fn main() {}
