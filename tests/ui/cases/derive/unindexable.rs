//! Values that an index cannot hold.

use std::collections::BTreeMap;

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index = "spec.weight", index = "spec.selector")]
struct FooSpec {
    weight: f64,
    selector: BTreeMap<String, String>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Size;

#[derive(CustomResource, Informer)]
#[kube(kind = "Bar", namespaced)]
#[informer(crate = stub, index = "spec.size")]
struct BarSpec {
    size: Option<Size>,
}

fn main() {}
