use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.name", index = "metadata.labels['app']")]
#[informer(index = r#"metadata.labels["app"]"#)]
#[informer(index = "metadata.name")]
struct FooSpec {
    name: String,
}

fn main() {}

