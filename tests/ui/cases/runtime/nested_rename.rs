//! serde renames fields of a type that the macro cannot see. The macro does not guess.

use informer::Informer;
use k8s_openapi::api::core::v1::PodTemplateSpec;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(index = "spec.item.name", index = "spec.template.spec.nodeName")]
struct FooSpec {
    item: Item,
    template: Option<PodTemplateSpec>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
struct Item {
    #[serde(rename = "title")]
    name: String,
    #[serde(rename = "name")]
    title: String,
}

fn main() {}
