//! Two versions of a kind in one module need two names on the factory.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(version = "v1", kind = "Foo", root = "FooV1", namespaced)]
#[informer(crate = stub)]
struct FooV1Spec {}

#[derive(CustomResource, Informer)]
#[kube(version = "v2", kind = "Foo", root = "FooV2", namespaced)]
#[informer(crate = stub)]
struct FooV2Spec {}

fn main() {}
