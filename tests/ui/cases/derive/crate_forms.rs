use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate)]
struct FooSpec {}

#[derive(CustomResource, Informer)]
#[kube(kind = "Bar", namespaced)]
#[informer(crate = "no path")]
struct BarSpec {}

fn main() {}
