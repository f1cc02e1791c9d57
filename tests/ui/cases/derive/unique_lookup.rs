//! A unique index returns at most one object.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index(path = "spec.host", unique))]
struct FooSpec {
    host: String,
}

fn main() {
    let lister = stub::SharedInformerFactory::default().foos().lister();
    for foo in lister.by_host("h").iter().map(|foo| foo.letters()) {}
}
