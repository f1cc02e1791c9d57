//! `#[kube(...)]` and `#[informer(...)]` belong below the derive. Among the derives any order does.

#![deny(warnings)]

use informer_derive::Informer;
use stub::CustomResource;

#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[derive(Informer, CustomResource)]
pub struct FooSpec {}

fn main() {}
