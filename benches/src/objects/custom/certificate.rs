//! cert-manager's Certificate.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use kube::CustomResource;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{condition, metadata};

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

/// Returns a certificate as its controller writes it.
pub(super) fn create(number: usize, version: u64) -> Value {
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
