//! `of` belongs on a marker struct for a type elsewhere.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(Informer)]
#[informer(of = other::Pod, accessor = "pods", scope = "Namespaced", crate = stub)]
struct OwnFields {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(of = other::Pod, crate = stub)]
struct FooSpec {}

#[derive(Informer)]
#[informer(of = other::Pair<u8, u16, accessor = "pairs", scope = "Namespaced", crate = stub)]
struct Pair;

#[derive(Informer)]
#[informer(accessor = "nothings", scope = "Namespaced", crate = stub)]
struct Nothing;

#[derive(Informer)]
#[informer(of = other::Alone, crate = stub)]
struct Alone;

fn main() {}
