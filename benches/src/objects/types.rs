//! Types of the measured custom resources. Optional fields are `Option`s, as in kopium's output.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};

/// cert-manager's `Certificate`.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize)]
#[kube(
    group = "cert-manager.io",
    version = "v1",
    kind = "Certificate",
    namespaced,
    status = "CertificateStatus",
    schema = "disabled"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CertificateSpec {
    common_name: Option<String>,
    dns_names: Option<Vec<String>>,
    duration: Option<String>,
    ip_addresses: Option<Vec<String>>,
    is_ca: Option<bool>,
    issuer_ref: IssuerRef,
    private_key: Option<PrivateKey>,
    renew_before: Option<String>,
    revision_history_limit: Option<i32>,
    secret_name: String,
    secret_template: Option<SecretTemplate>,
    usages: Option<Vec<String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct IssuerRef {
    group: Option<String>,
    kind: Option<String>,
    name: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrivateKey {
    algorithm: Option<String>,
    encoding: Option<String>,
    rotation_policy: Option<String>,
    size: Option<i64>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SecretTemplate {
    annotations: Option<BTreeMap<String, String>>,
    labels: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CertificateStatus {
    conditions: Option<Vec<Condition>>,
    not_after: Option<String>,
    not_before: Option<String>,
    renewal_time: Option<String>,
    revision: Option<i64>,
}

/// Gateway API's `HTTPRoute`.
#[derive(CustomResource, Debug, Clone, Serialize, Deserialize)]
#[kube(
    group = "gateway.networking.k8s.io",
    version = "v1",
    kind = "HTTPRoute",
    plural = "httproutes",
    namespaced,
    status = "RouteStatus",
    schema = "disabled"
)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HttpRouteSpec {
    hostnames: Option<Vec<String>>,
    parent_refs: Option<Vec<ParentRef>>,
    rules: Option<Vec<RouteRule>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ParentRef {
    group: Option<String>,
    kind: Option<String>,
    name: String,
    namespace: Option<String>,
    port: Option<i32>,
    section_name: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteRule {
    backend_refs: Option<Vec<BackendRef>>,
    filters: Option<Vec<RouteFilter>>,
    matches: Option<Vec<RouteMatch>>,
    timeouts: Option<BTreeMap<String, String>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct BackendRef {
    group: Option<String>,
    kind: Option<String>,
    name: String,
    namespace: Option<String>,
    port: Option<i32>,
    weight: Option<i32>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteFilter {
    r#type: String,
    request_header_modifier: Option<HeaderModifier>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct HeaderModifier {
    add: Option<Vec<NamedValue>>,
    remove: Option<Vec<String>>,
    set: Option<Vec<NamedValue>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteMatch {
    headers: Option<Vec<NamedValue>>,
    method: Option<String>,
    path: Option<PathMatch>,
    query_params: Option<Vec<NamedValue>>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct PathMatch {
    r#type: Option<String>,
    value: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RouteStatus {
    parents: Vec<RouteParentStatus>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RouteParentStatus {
    conditions: Option<Vec<Condition>>,
    controller_name: String,
    parent_ref: ParentRef,
}

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

#[derive(Debug, Clone, Serialize, Deserialize)]
struct NamedValue {
    name: String,
    r#type: Option<String>,
    value: String,
}

/// Spec of one of many types.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct SmallSpec {
    replicas: i32,
    image: String,
    paused: Option<bool>,
}

/// Status of one of many types.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct SmallStatus {
    ready: i32,
    phase: String,
}
