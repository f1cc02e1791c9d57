//! A namespaced type used without a namespace.

use informer::{Informer, SharedInformerFactory};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
struct FooSpec {}

fn foo(factory: &SharedInformerFactory) {
    factory.foos().lister().get("example");
}

fn main() {}
