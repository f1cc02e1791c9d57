//! Only the mistake itself is reported: the uses of the informer cause no further errors.

use informer::{Informer, NamespaceLister, SharedInformerFactory};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Foo", namespaced)]
#[informer(index = "spec.deploymentNam", index(label = "app"))]
#[serde(rename_all = "camelCase")]
struct FooSpec {
    deployment_name: String,
}

fn foo(factory: &SharedInformerFactory) {
    let foos: FooInformer = factory.foos();
    let lister: FooLister = foos.lister();
    let snapshot: FooListerSnapshot = lister.snapshot();
    let in_default: NamespaceLister<'_, Foo> = lister.namespace("default");
    let _ = (lister.by_app("shop"), snapshot.by_app("shop"), in_default.get("x"));
    let _ = foos.add_event_handler(|event: informer::Event<_>| println!("{}", event.key()));
}

fn main() {}
