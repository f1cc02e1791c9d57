//! A cluster-scoped type used with a namespace.

use informer::{Informer, SharedInformerFactory};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Zone")]
struct ZoneSpec {}

fn zone(factory: &SharedInformerFactory) {
    factory.zones().lister().namespace("default");
}

fn main() {}
