use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index(owner, unique))]
#[informer(index(owner, name = "by_uid", value = "String"))]
#[informer(index(owner = "3", name = "by_three"))]
#[informer(index(owner = Foo))]
#[informer(owner)]
struct FooSpec {}

fn main() {}
