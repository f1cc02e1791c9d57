//! Paths in quotes are in JSON spelling.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index = "spec.deployment_name", index = "spec.kind", index = "spec.hidden")]
#[informer(index = "spec.inner")]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    deployment_name: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip)]
    hidden: String,
    #[serde(flatten)]
    rest: Inner,
}

struct Inner {
    inner: String,
}

fn main() {}
