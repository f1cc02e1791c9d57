use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index = "spec.deploymentNam", index = "spec.deployment_name", index = "spec.colour")]
#[informer(index = "deploymentName", index = "sepc.replicas", index = "status.phase")]
#[informer(index = "metadata.lables['app']", index = "metadata.labels.app", index = "spec")]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    deployment_name: String,
    replicas: Option<i32>,
    #[serde(skip)]
    colour: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Bar")]
#[informer(crate = stub, index = "spec.other")]
struct BarSpec {
    #[serde(flatten)]
    common: Common,
}

struct Common {}

fn main() {
    // The accessor of a wrong index exists.
    let lister = stub::SharedInformerFactory::default().foos().lister();
    let _ = lister.by_deployment_nam("web");
}
