//! Gateway API's `HTTPRoute`.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{NamedValue, condition, metadata};

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

/// Returns a route with three rules.
pub(super) fn create(number: usize, version: u64) -> Value {
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
