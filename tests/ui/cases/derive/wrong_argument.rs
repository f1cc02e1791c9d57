//! Lookups take values of the index's own type.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.name", index = "spec.replicas")]
struct FooSpec {
    name: String,
    replicas: Option<i32>,
}

fn main() {
    let lister = stub::SharedInformerFactory::default().foos().lister();
    let _ = lister.by_name(String::from("web"));
    let _ = lister.by_replicas("2");
    let _ = lister.by_nam("web");
}
