//! Kinds whose expansions the test `expansions` counts, each with `--cfg` of its name.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource)]
#[cfg_attr(any(plain, index, relation), derive(Informer), informer(crate = stub))]
#[cfg_attr(index, informer(index = "spec.host"))]
#[cfg_attr(relation, informer(owns(Other)))]
#[kube(kind = "Foo", namespaced)]
pub struct FooSpec {
    pub host: String,
}

#[derive(CustomResource)]
#[kube(kind = "Other", namespaced)]
pub struct OtherSpec {
    pub name: String,
}

fn main() {}
