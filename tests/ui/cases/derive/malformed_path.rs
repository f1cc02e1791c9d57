use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "", index = ".spec.name", index = "spec..name")]
#[informer(index = "spec.names[*]", index = "spec.names[0]", index = "metadata.labels[app]")]
#[informer(index = "metadata.labels['app'", index = "metadata.labels['app", index = "spec name")]
#[informer(index = "metadata.labels['app']x", index = "metadata.labels['']")]
struct FooSpec {
    name: String,
    names: Vec<String>,
}

fn main() {}

