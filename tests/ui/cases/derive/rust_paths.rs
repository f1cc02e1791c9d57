//! Mistakes in paths without quotes, which are in Rust spelling.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index = spec.deploymentName, index = spec.deploymnt_name, index = spec)]
#[informer(index = spec.hidden, index = spec.0, index = spec., index = spec.names[0])]
#[informer(index = metadata.owner_reference.uid, index = metadata.ownerReferences.name)]
#[informer(index = metadata.labels.app, index = deployment_name)]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    deployment_name: String,
    names: Vec<String>,
    #[serde(skip)]
    hidden: String,
}

fn main() {}
