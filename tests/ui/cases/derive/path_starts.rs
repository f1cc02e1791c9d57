use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index = "deploymentName", index = "spec", index = "status.phase")]
#[informer(index = "sepc.deploymentName", index = "$.spec.deploymentName", index = "data.x")]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    deployment_name: String,
}

fn main() {}
