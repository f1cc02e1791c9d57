//! The type of the custom resource: written by hand, or by a tool such as kopium, or from a crate.

use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// Wants `host` to be served by a Deployment.
#[derive(CustomResource, Serialize, Deserialize, Clone, Debug)]
#[kube(group = "web.example.com", version = "v1", kind = "Website")]
#[kube(namespaced, schema = "disabled")]
pub(crate) struct WebsiteSpec {
    /// The host name.
    pub(crate) host: String,
    /// The label `app` of the Deployments that serve it.
    pub(crate) deployment: String,
}
