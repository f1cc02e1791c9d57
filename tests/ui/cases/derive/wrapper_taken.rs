//! A name is taken, and `prefix` sets another.

use informer_derive::Informer;
use stub::CustomResource;

struct FooInformer;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {}
