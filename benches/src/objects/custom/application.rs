//! Argo CD's Application.

use std::collections::BTreeMap;

use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NamedValue, metadata};

/// Argo CD's `Application`.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize)]
#[kube(
    group = "argoproj.io",
    version = "v1alpha1",
    kind = "Application",
    namespaced,
    status = "ApplicationStatus",
    schema = "disabled"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplicationSpec {
    destination: Destination,
    ignore_differences: Option<Vec<IgnoredDifference>>,
    project: String,
    revision_history_limit: Option<i64>,
    source: Option<ApplicationSource>,
    sync_policy: Option<SyncPolicy>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Destination {
    name: Option<String>,
    namespace: Option<String>,
    server: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IgnoredDifference {
    group: Option<String>,
    json_pointers: Option<Vec<String>>,
    kind: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplicationSource {
    chart: Option<String>,
    helm: Option<Helm>,
    path: Option<String>,
    #[serde(rename = "repoURL")]
    repo_url: String,
    target_revision: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Helm {
    parameters: Option<Vec<NamedValue>>,
    release_name: Option<String>,
    value_files: Option<Vec<String>>,
    values: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SyncPolicy {
    automated: Option<BTreeMap<String, bool>>,
    sync_options: Option<Vec<String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApplicationStatus {
    health: Option<BTreeMap<String, String>>,
    history: Option<Vec<History>>,
    reconciled_at: Option<String>,
    resources: Option<Vec<ManagedResource>>,
    source_type: Option<String>,
    summary: Option<Summary>,
    sync: Option<SyncStatus>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct History {
    deploy_started_at: Option<String>,
    deployed_at: String,
    id: i64,
    revision: Option<String>,
    source: Option<ApplicationSource>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct ManagedResource {
    group: Option<String>,
    health: Option<BTreeMap<String, String>>,
    kind: Option<String>,
    name: Option<String>,
    namespace: Option<String>,
    status: Option<String>,
    version: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Summary {
    #[serde(rename = "externalURLs")]
    external_urls: Option<Vec<String>>,
    images: Option<Vec<String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SyncStatus {
    revision: Option<String>,
    status: String,
}

/// Returns an application with a dozen resources and three deployments in its history.
pub(super) fn create(number: usize, version: u64) -> Value {
    let source = json!({
        "repoURL": "https://git.example.com/platform/deploy.git",
        "path": format!("services/service-{number:05}"),
        "targetRevision": "main",
        "helm": {
            "releaseName": format!("service-{number:05}"),
            "valueFiles": ["values.yaml", "values-production.yaml"],
            "parameters": [{ "name": "image.tag", "value": "1.4.2" }],
        },
    });
    let resource = |at: usize| {
        let kinds = ["Deployment", "Service", "ConfigMap", "ServiceAccount"];
        json!({
            "group": "apps", "version": "v1", "kind": kinds.get(at % kinds.len()),
            "name": format!("service-{number:05}-{at}"), "namespace": format!("team-{}", number % 50),
            "status": "Synced", "health": { "status": "Healthy" },
        })
    };
    let deployed = |at: usize| {
        json!({
            "id": at, "deployedAt": "2026-03-01T08:16:02Z", "deployStartedAt": "2026-03-01T08:15:58Z",
            "revision": format!("{number:08x}{at:032x}"), "source": source,
        })
    };
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": metadata(number, version),
        "spec": {
            "project": "default",
            "destination": { "server": "https://kubernetes.default.svc", "namespace": format!("team-{}", number % 50) },
            "source": source,
            "syncPolicy": {
                "automated": { "prune": true, "selfHeal": true },
                "syncOptions": ["CreateNamespace=true", "ServerSideApply=true"],
            },
        },
        "status": {
            "health": { "status": "Healthy" },
            "history": [deployed(1), deployed(2), deployed(3)],
            "reconciledAt": "2026-03-01T09:00:00Z",
            "resources": (0..12).map(resource).collect::<Vec<_>>(),
            "sourceType": "Helm",
            "summary": { "images": [format!("registry.example.com/service:{number}")] },
            "sync": { "status": "Synced", "revision": format!("{number:040x}") },
        },
    })
}
