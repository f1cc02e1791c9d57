//! Three custom resources of well-known projects: cert-manager's Certificate, Gateway API's
//! `HTTPRoute` and Argo CD's Application. Optional fields are `Option`s, as in kopium's output.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

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
pub(crate) struct NamedValue {
    name: String,
    r#type: Option<String>,
    value: String,
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

fn metadata(number: usize, version: usize) -> Value {
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

/// Returns a certificate as its controller writes it.
pub(crate) fn certificate(number: usize, version: usize) -> Value {
    let host = format!("service-{number:05}.example.com");
    json!({
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": metadata(number, version),
        "spec": {
            "commonName": host,
            "dnsNames": [host, format!("www.{host}"), format!("api.{host}")],
            "duration": "2160h0m0s",
            "issuerRef": { "group": "cert-manager.io", "kind": "ClusterIssuer", "name": "letsencrypt" },
            "privateKey": { "algorithm": "ECDSA", "rotationPolicy": "Always", "size": 256 },
            "renewBefore": "360h0m0s",
            "secretName": format!("service-{number:05}-tls"),
            "secretTemplate": { "labels": { "controller.cert-manager.io/fao": "true" } },
            "usages": ["digital signature", "key encipherment"],
        },
        "status": {
            "conditions": [condition("Ready", number)],
            "notAfter": "2026-06-01T08:15:30Z",
            "notBefore": "2026-03-01T08:15:30Z",
            "renewalTime": "2026-05-17T08:15:30Z",
            "revision": 4,
        },
    })
}

/// Returns a route with three rules.
pub(crate) fn http_route(number: usize, version: usize) -> Value {
    let parent = json!({ "group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "public",
                         "namespace": "gateways", "sectionName": "https" });
    let rule = |at: usize| {
        json!({
            "matches": [{
                "path": { "type": "PathPrefix", "value": format!("/api/v{at}/orders") },
                "method": "GET",
                "headers": [{ "name": "x-tenant", "type": "Exact", "value": format!("tenant-{number}") }],
            }],
            "filters": [{
                "type": "RequestHeaderModifier",
                "requestHeaderModifier": { "set": [{ "name": "x-route", "value": format!("{at}") }] },
            }],
            "backendRefs": [
                { "group": "", "kind": "Service", "name": format!("orders-{number}"), "port": 8080, "weight": 90 },
                { "group": "", "kind": "Service", "name": format!("orders-{number}-canary"), "port": 8080, "weight": 10 },
            ],
            "timeouts": { "request": "10s" },
        })
    };
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": metadata(number, version),
        "spec": {
            "hostnames": [format!("service-{number:05}.example.com")],
            "parentRefs": [parent],
            "rules": [rule(1), rule(2), rule(3)],
        },
        "status": { "parents": [{
            "conditions": [condition("Accepted", number), condition("ResolvedRefs", number)],
            "controllerName": "example.com/gateway-controller",
            "parentRef": parent,
        }]},
    })
}

/// Returns an application with a dozen resources and three deployments in its history.
pub(crate) fn application(number: usize, version: usize) -> Value {
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
