//! A name that is taken: `prefix` gives another.

use informer_derive::Informer;
use stub::CustomResource;

struct FooInformer;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {}
