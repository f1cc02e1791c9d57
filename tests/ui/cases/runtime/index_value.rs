//! An index of values that do not implement `IndexValue`.

use informer::Informer;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(index = "spec.size")]
struct FooSpec {
    size: Size,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
enum Size {
    Small,
    Big,
}

fn main() {}
