//! `#[kube(...)]` and `#[informer(...)]` belong below the derive. The order of the derives is free.

#![deny(warnings)]

use informer_derive::Informer;
use stub::CustomResource;

#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[derive(Informer, CustomResource)]
pub struct FooSpec {}

fn main() {}
