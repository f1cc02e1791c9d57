//! Methods of the factory itself would hide the accessor.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Metadata", plural = "metadata")]
#[informer(crate = stub)]
struct MetadataSpec {}

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo")]
#[informer(crate = stub, accessor = "start")]
struct FooSpec {}

fn main() {}
