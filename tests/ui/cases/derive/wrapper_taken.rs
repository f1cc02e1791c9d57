//! A name is taken, and `prefix` sets another.

use informer_derive::Informer;
use stub::CustomResource;

struct FooInformer;

// Else rustc lists traits with a `new`, of whatever crates are there.
impl FooInformer {
    fn new<T>(_: T) {}
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
struct FooSpec {}

fn main() {}
