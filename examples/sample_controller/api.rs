//! The custom resource. `Informer` generates `FooInformer`, `FooLister` and `factory.foos()`, and
//! with `owns(..)` the relation `FooRelated`.

use informer::Informer;
use k8s_openapi::api::apps::v1::Deployment;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Requests a Deployment with this name and number of replicas.
#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(
    group = "samplecontroller.k8s.io",
    version = "v1alpha1",
    kind = "Foo",
    namespaced,
    status = "FooStatus"
)]
#[informer(owns(Deployment))]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooSpec {
    /// Name of the Deployment.
    pub(crate) deployment_name: String,
    /// Number of replicas. The default is 1.
    pub(crate) replicas: Option<i32>,
}

/// Observed state of a Foo.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FooStatus {
    /// Number of available replicas of the Deployment.
    pub(crate) available_replicas: i32,
}
