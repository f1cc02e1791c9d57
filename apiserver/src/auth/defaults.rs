//! Initial roles and bindings.

use serde_json::{Value, json};

use super::names::{AUTHENTICATED, GROUP, MASTERS, SERVICE_ACCOUNTS, UNAUTHENTICATED};

/// Returns the initial roles and bindings of a server with RBAC: those of administrators, and those
/// of all users.
pub(crate) fn first_objects() -> Vec<Value> {
    const VERSION: &str = "rbac.authorization.k8s.io/v1";
    let role = |name: &str, rules: Value| {
        json!({
            "apiVersion": VERSION, "kind": "ClusterRole",
            "metadata": { "name": name }, "rules": rules,
        })
    };
    let binding = |name: &str, groups: &[&str]| {
        let subjects: Vec<Value> = groups
            .iter()
            .map(|group| json!({ "kind": "Group", "name": group, "apiGroup": GROUP }))
            .collect();
        json!({
            "apiVersion": VERSION, "kind": "ClusterRoleBinding",
            "metadata": { "name": name },
            "roleRef": { "apiGroup": GROUP, "kind": "ClusterRole", "name": name },
            "subjects": subjects,
        })
    };
    let paths = |urls: &[&str]| json!([{ "verbs": ["get"], "nonResourceURLs": urls }]);
    let everything = json!([
        { "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] },
        { "verbs": ["*"], "nonResourceURLs": ["*"] },
    ]);
    let about_oneself = json!([
        {
            "verbs": ["create"], "apiGroups": ["authorization.k8s.io"],
            "resources": ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
        },
        {
            "verbs": ["create"], "apiGroups": ["authentication.k8s.io"],
            "resources": ["selfsubjectreviews"],
        },
    ]);
    let public = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let issuer = [
        "/.well-known/openid-configuration",
        "/.well-known/openid-configuration/",
        "/openid/v1/jwks",
        "/openid/v1/jwks/",
    ];
    let discovery = [
        "/api",
        "/api/*",
        "/apis",
        "/apis/*",
        "/healthz",
        "/livez",
        "/openapi",
        "/openapi/*",
        "/readyz",
        "/version",
        "/version/",
    ];
    vec![
        role("cluster-admin", everything),
        role("system:basic-user", about_oneself),
        role("system:discovery", paths(&discovery)),
        role("system:public-info-viewer", paths(&public)),
        role("system:service-account-issuer-discovery", paths(&issuer)),
        binding("cluster-admin", &[MASTERS]),
        binding("system:basic-user", &[AUTHENTICATED]),
        binding("system:discovery", &[AUTHENTICATED]),
        binding(
            "system:service-account-issuer-discovery",
            &[SERVICE_ACCOUNTS],
        ),
        binding(
            "system:public-info-viewer",
            &[AUTHENTICATED, UNAUTHENTICATED],
        ),
    ]
}
