//! Many resources with a few small objects each.

use kube::core::{ApiResource, GroupVersionKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Objects, Revision, write_value};

/// Spec of a small object.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SmallSpec {
    replicas: i32,
    image: String,
    paused: Option<bool>,
}

/// Status of a small object.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SmallStatus {
    ready: i32,
    phase: String,
}

/// Resources that all have the same objects.
#[derive(Debug)]
pub(super) struct Small {
    resources: usize,
}

// === impl Small ===

impl Small {
    pub(super) fn new(resources: usize) -> Self {
        Self { resources }
    }
}

impl Objects for Small {
    fn resources(&self) -> Vec<ApiResource> {
        let resource = |number| {
            let group = format!("type-{number:03}.example.com");
            let kind = GroupVersionKind::gvk(&group, "v1", "Thing");
            ApiResource::from_gvk_with_plural(&kind, "things")
        };
        (0..self.resources).map(resource).collect()
    }

    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>) {
        let object = json!({
            "metadata": {
                "name": format!("thing-{number}"),
                "namespace": "default",
                "uid": format!("0d6f2b3c-8a31-4f0e-9c11-{number:012x}"),
                "resourceVersion": revision.version.to_string(),
                "creationTimestamp": "2026-03-01T08:15:30Z",
                "labels": {"app.kubernetes.io/name": format!("thing-{number}")},
            },
            "spec": {"replicas": 3, "image": "registry.example.com/thing:1.4.2"},
            "status": {"ready": 3, "phase": "Running"},
        });
        write_value(object, out);
    }
}
