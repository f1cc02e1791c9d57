//! A user without permissions.

use http::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, gadget, map, namespace, widget};
use crate::session::Session;

pub(super) async fn run(session: &mut Session) {
    let mut calls = Vec::new();
    for path in [
        MAPS,
        WIDGETS,
        GADGETS,
        "/api/v1/configmaps",
        "/api/v1/namespaces",
        "/api/v1/namespaces/diff",
        "/api/v1/namespaces/diff/configmaps/m1",
        "/api/v1/namespaces/diff/configmaps/none",
        "/apis/example.com/v1/namespaces/diff/widgets/w1",
        "/apis/example.com/v1/namespaces/diff/widgets/w1/status",
        "/apis/example.com/v1/namespaces/diff/widgets/w1/scale",
        "/apis/apps/v1/namespaces/diff/deployments",
        "/api/v1/namespaces/diff/bogus",
        "/apis/bogus/v1/things",
        "/apis/bogus",
        "/bogus",
        "/",
        "/metrics",
        "/logs",
    ] {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let call = Call::new(method, path).content_type("application/json");
            calls.push(call.text("{}").by_nobody());
        }
        calls.push(Call::get(format!("{path}?watch=true")).by_nobody());
        calls.push(Call::get(format!("{path}?watch=false")).by_nobody());
    }
    for path in [
        "/api",
        "/apis/apps",
        "/apis/apps/v1x",
        "/healthz",
        "/readyz",
        "/livez",
    ] {
        calls.push(Call::get(path).by_nobody());
    }
    session.check_all(calls).await;
    applies(session).await;
    updates(session).await;
}

/// An update of some kinds creates a missing object, which also needs permission to create.
async fn updates(session: &mut Session) {
    const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/diff/leases";
    let rules = [
        rule(&["coordination.k8s.io"], &["leases"], &["update"], &[]),
        rule(&[""], &["configmaps"], &["update"], &[]),
        rule(
            &["coordination.k8s.io"],
            &["leases"],
            &["get"],
            &["right-4"],
        ),
    ];
    let lease = |name: &str| {
        json!({
            "apiVersion": "coordination.k8s.io/v1", "kind": "Lease",
            "metadata": { "name": name }, "spec": { "holderIdentity": "me" },
        })
    };
    let put = |collection: &str, name: &str, body: &Value| {
        Call::put(format!("{collection}/{name}"), body)
    };
    session.post(LEASES, &lease("right-4")).await;
    grant(session, "updates", &rules, &format!("{LEASES}/right-4")).await;
    let with = |field: &str, value: &str| {
        let mut lease = lease("right-5");
        lease["metadata"][field] = value.into();
        lease
    };
    let elsewhere = "/apis/coordination.k8s.io/v1/namespaces/absent/leases";
    for body in [
        with("uid", "11111111-2222-3333-4444-555555555555"),
        with("namespace", "other"),
        with("name", "other"),
        with("name", ""),
        with("resourceVersion", "x"),
        with("generateName", "gen-"),
        json!({ "metadata": { "name": "right-5", "labels": { "a b": "c" } } }),
    ] {
        let mut dry = put(LEASES, "right-5", &body);
        dry.path += "?dryRun=All";
        session.check(dry).await;
    }
    let versioned = put(LEASES, "right-5", &with("resourceVersion", "7"));
    for call in [
        versioned.clone().by_nobody(),
        versioned,
        put(LEASES, "right-5", &lease("right-5")).by_nobody(),
        put(LEASES, "right-5", &lease("right-5")),
        put(LEASES, "right-5", &lease("right-5")).by_nobody(),
        put(LEASES, "right-6", &lease("right-6")).by_nobody(),
        Call::patch(
            format!("{LEASES}/right-5"),
            "json",
            &json!([{ "op": "remove", "path": "/metadata/resourceVersion" }]),
        ),
        put(LEASES, "Right_6", &lease("Right_6")),
        put(elsewhere, "right-5", &lease("right-5")),
        put(MAPS, "right-5", &map("right-5", "x")).by_nobody(),
        put(MAPS, "right-5", &map("right-5", "x")),
        Call::patch(format!("{LEASES}/right-6"), "merge", &json!({})),
    ] {
        session.check(call).await;
    }
    for (path, kind) in [
        (
            "/apis/rbac.authorization.k8s.io/v1/namespaces/diff/roles",
            "Role",
        ),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            "ClusterRole",
        ),
    ] {
        let role = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind,
            "metadata": { "name": "right-5" }, "rules": [],
        });
        session.check(put(path, "right-5", &role)).await;
    }
    for (plural, body) in [
        ("endpoints", json!({ "metadata": { "name": "right-5" } })),
        (
            "limitranges",
            json!({ "metadata": { "name": "right-5" }, "spec": { "limits": [] } }),
        ),
        ("secrets", json!({ "metadata": { "name": "right-5" } })),
        (
            "resourcequotas",
            json!({ "metadata": { "name": "right-5" } }),
        ),
        (
            "serviceaccounts",
            json!({ "metadata": { "name": "right-5" } }),
        ),
        (
            "persistentvolumeclaims",
            json!({ "metadata": { "name": "right-5" } }),
        ),
        ("podtemplates", json!({ "metadata": { "name": "right-5" } })),
    ] {
        let path = format!("/api/v1/namespaces/diff/{plural}");
        session.check(put(&path, "right-5", &body)).await;
    }
    for (group, plural, kind, field) in [
        (
            "scheduling.k8s.io/v1",
            "priorityclasses",
            "PriorityClass",
            "description",
        ),
        (
            "storage.k8s.io/v1",
            "storageclasses",
            "StorageClass",
            "provisioner",
        ),
        (
            "node.k8s.io/v1",
            "runtimeclasses",
            "RuntimeClass",
            "handler",
        ),
    ] {
        let mut body = json!({
            "apiVersion": group, "kind": kind, "metadata": { "name": "right-5" },
        });
        body[field] = "x".into();
        session
            .check(put(&format!("/apis/{group}/{plural}"), "right-5", &body))
            .await;
    }
    let widget = widget("right-5", 1);
    session.check(put(WIDGETS, "right-5", &widget)).await;
}

fn rule(groups: &[&str], resources: &[&str], verbs: &[&str], names: &[&str]) -> Value {
    json!({ "apiGroups": groups, "resources": resources, "verbs": verbs, "resourceNames": names })
}

/// Grants `rules` to the user `nobody`, and waits until they are in effect: `path` can be read
/// then.
async fn grant(session: &mut Session, name: &str, rules: &[Value], path: &str) {
    const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/cluster";
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": { "name": name }, "rules": rules,
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
        "metadata": { "name": name },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name,
        },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "nobody" }],
    });
    session.post(format!("{ROLES}roles"), &role).await;
    session.post(format!("{ROLES}rolebindings"), &binding).await;
    session.await_allowed(&Call::get(path).by_nobody()).await;
}

fn apply(path: &str, body: &Value) -> Call {
    let name = body["metadata"]["name"].as_str().unwrap();
    let path = format!("{path}/{name}?fieldManager=nobody");
    Call::patch(path, "apply", body).by_nobody()
}

/// An apply to a missing object also needs permission to create.
async fn applies(session: &mut Session) {
    let patched = [
        "configmaps",
        "namespaces",
        "widgets",
        "widgets/status",
        "gadgets",
    ];
    let rules = [
        rule(&["", "example.com"], &patched, &["patch"], &[]),
        rule(&[""], &["configmaps"], &["get"], &["right-1"]),
    ];
    session.post(MAPS, &map("right-1", "x")).await;
    grant(session, "patches", &rules, &format!("{MAPS}/right-1")).await;
    let of_widget = |name: &str, body: &Value| {
        let status = format!("{WIDGETS}/{name}/status?fieldManager=nobody");
        Call::patch(status, "apply", body).by_nobody()
    };
    for call in [
        apply(MAPS, &map("right-1", "x")),
        apply(MAPS, &map("right-2", "x")),
        apply(WIDGETS, &widget("right-2", 1)),
        of_widget("right-2", &widget("right-2", 1)),
        apply(GADGETS, &gadget("right-2")),
        apply("/api/v1/namespaces", &namespace("right-2")),
        Call::post(MAPS, &map("right-2", "x")).by_nobody(),
        Call::patch(format!("{MAPS}/right-2"), "merge", &json!({})).by_nobody(),
    ] {
        let mut dry = call.clone();
        let mark = if dry.path.contains('?') { '&' } else { '?' };
        dry.path = format!("{}{mark}dryRun=All", dry.path);
        session.check(dry).await;
        session.check(call).await;
    }

    let by_admin = Call::patch(format!("{MAPS}/right-6?fieldManager=a"), "apply", &{
        let mut with_version = map("right-6", "x");
        with_version["metadata"]["resourceVersion"] = "7".into();
        with_version
    });
    let mut dry = by_admin.clone();
    dry.path += "&dryRun=All";
    session.check(dry).await;
    session.check(by_admin).await;

    // Unlike a POST, an apply that creates is authorized for a name.
    let rules = [rule(
        &["", "example.com"],
        &["configmaps", "namespaces", "gadgets"],
        &["create", "get"],
        &["right-3"],
    )];
    session.post(GADGETS, &gadget("right-3")).await;
    grant(session, "creates", &rules, &format!("{GADGETS}/right-3")).await;
    for call in [
        apply(MAPS, &map("right-2", "x")),
        apply(MAPS, &map("right-3", "x")),
        apply("/api/v1/namespaces", &namespace("right-2")),
        apply("/api/v1/namespaces", &namespace("right-3")),
        apply(GADGETS, &gadget("right-2")),
        apply(GADGETS, &gadget("right-3")),
        Call::post(MAPS, &map("right-3", "x")).by_nobody(),
    ] {
        session.check(call).await;
    }
}
