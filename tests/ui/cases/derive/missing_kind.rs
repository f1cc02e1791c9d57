use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(group = "example.com", version = "v1", knd = "Foo")]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {}

