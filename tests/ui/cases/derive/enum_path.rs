//! Enums and tuples have no named fields.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Choice", namespaced)]
#[informer(crate = stub, index = "spec.one.name", index(label = "app"))]
enum ChoiceSpec {
    One { name: String },
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Pair", namespaced)]
#[informer(crate = stub, index = "spec.0")]
#[informer(index = "spec.first")]
struct PairSpec(String, String);

fn main() {}
