use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, prefix = "foo-bar", prefix = "Bar", names = "Baz")]
struct FooSpec {}

#[derive(CustomResource, Informer)]
#[kube(kind = "Bar", namespaced)]
#[informer(crate = stub, prefix = BarResource)]
struct BarSpec {}

fn main() {}
