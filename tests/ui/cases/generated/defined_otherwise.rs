//! A type whose scope differs from that of the manifest that it was mapped to, which generated code
//! asserts.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Zone")]
pub struct ZoneSpec {}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
pub struct FooSpec {}

const _: () = ::informer::__private::assert_defined_namespaced::<Zone>();
const _: () = ::informer::__private::assert_defined_cluster::<Foo>();

fn main() {}
