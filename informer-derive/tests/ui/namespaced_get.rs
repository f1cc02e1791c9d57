//! A namespaced type used without a namespace.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {
    let factory = stub::SharedInformerFactory::default();
    factory.foos().lister().get("example");
}
