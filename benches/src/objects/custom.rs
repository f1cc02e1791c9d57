//! Three custom resources of well-known projects. Optional fields are `Option`s, as in kopium's
//! output.

mod application;
mod certificate;
mod route;

use kube::Resource;
use kube::core::ApiResource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use self::application::Application;
pub(crate) use self::certificate::Certificate;
pub(crate) use self::route::HTTPRoute;
use super::{Objects, Revision, write_value};

/// Objects of one custom resource.
#[derive(Debug)]
pub(super) struct Custom {
    resource: ApiResource,
    create: fn(usize, u64) -> Value,
}

// === impl Custom ===

impl Custom {
    pub(super) fn certificates() -> Self {
        Self::of::<Certificate>(certificate::create)
    }

    pub(super) fn routes() -> Self {
        Self::of::<HTTPRoute>(route::create)
    }

    pub(super) fn applications() -> Self {
        Self::of::<Application>(application::create)
    }

    fn of<K: Resource<DynamicType = ()>>(create: fn(usize, u64) -> Value) -> Self {
        Self {
            resource: ApiResource::erase::<K>(&()),
            create,
        }
    }
}

impl Objects for Custom {
    fn resources(&self) -> Vec<ApiResource> {
        vec![self.resource.clone()]
    }

    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>) {
        write_value((self.create)(number, revision.version), out);
    }
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct NamedValue {
    name: String,
    r#type: Option<String>,
    value: String,
}

fn metadata(number: usize, version: u64) -> Value {
    json!({
        "name": format!("service-{number:05}"),
        "namespace": format!("team-{}", number % 50),
        "uid": format!("0d6f2b3c-8a31-4f0e-9c11-{number:012x}"),
        "resourceVersion": version.to_string(),
        "generation": 3,
        "creationTimestamp": "2026-03-01T08:15:30Z",
        "labels": {
            "app.kubernetes.io/name": format!("service-{}", number % 400),
            "app.kubernetes.io/instance": format!("service-{number:05}"),
            "app.kubernetes.io/managed-by": "Helm",
        },
        "annotations": { "meta.helm.sh/release-name": "platform" },
    })
}

fn condition(kind: &str, number: usize) -> Value {
    json!({
        "type": kind,
        "status": "True",
        "reason": "Accepted",
        "message": format!("object {number} is accepted and in use by its controller"),
        "lastTransitionTime": "2026-03-01T08:16:02Z",
        "observedGeneration": 3,
    })
}
