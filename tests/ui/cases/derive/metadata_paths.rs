use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index = "metadata.labels", index = "metadata.lables['app']")]
#[informer(index = "metadata.annotations.team", index = "metadata", index = "metadata.colour")]
#[informer(index = "metadata.labels[app]", index = "metadata.ownerReferences.uuid")]
struct FooSpec {}

fn main() {}
