//! The custom resource. `Informer` gives it `FooInformer`, `FooLister` and `factory.foos()`.

use informer::Informer;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Wants a Deployment of this name, with this many replicas.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced,
    status = "FooStatus"
)]
#[informer(index = "spec.deploymentName")]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    /// The Deployment's name.
    pub(crate) deployment_name: String,
    /// How many replicas it shall have; 1 if not said.
    pub(crate) replicas: Option<i32>,
}

/// What became of it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooStatus {
    /// How many of the Deployment's replicas are available.
    pub(crate) available_replicas: i32,
}
