//! An index has one source.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index(path = "spec.name", label = "app"))]
#[informer(index(owner, with = function))]
#[informer(index(name = "by_nothing", unique))]
#[informer(index())]
struct FooSpec {
    name: String,
}

fn main() {}
