//! Server-side apply, and managed fields after other writes. In these cases managed fields are
//! compared.

use http::Method;
use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{CRDS, namespace, rows, yaml};
use crate::session::Session;

pub(super) const MAPS: &str = "/api/v1/namespaces/apply/configmaps";
pub(super) const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/apply/deployments";
pub(super) const SPROCKETS: &str = "/apis/example.com/v1/namespaces/apply/sprockets";
const GIZMOS: &str = "/apis/example.com/v1/namespaces/apply/gizmos";

const TABLES: &str = include_str!("apply.yaml");

pub(super) async fn run(session: &mut Session) {
    prepare(session).await;
    options(session).await;
    documents(session).await;
    maps(session).await;
    lists(session).await;
    atoms(session).await;
    open(session).await;
    broken(session).await;
    status(session).await;
    scale(session).await;
    updates(session).await;
    capped(session).await;
    reset(session).await;
    deployments(session).await;
}

async fn prepare(session: &mut Session) {
    let call = Call::post("/api/v1/namespaces", &namespace("apply"));
    session.check(call).await;
    for body in [include_str!("sprockets.yaml"), include_str!("gizmos.yaml")] {
        session.post(CRDS, &yaml(body)).await;
    }
    session.await_served(SPROCKETS).await;
    session.await_served(GIZMOS).await;
}

fn sprocket(name: &str, spec: &Value) -> Value {
    json!({ "apiVersion": "example.com/v1", "kind": "Sprocket", "metadata": { "name": name }, "spec": spec })
}

pub(super) fn map(name: &str, data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": data })
}

/// Returns an apply by `manager`, which may contain further parameters.
pub(super) fn apply(path: &str, manager: &str, body: &Value) -> Call {
    Call::patch(format!("{path}?fieldManager={manager}"), "apply", body)
}

fn forced(path: &str, manager: &str, body: &Value) -> Call {
    apply(path, &format!("{manager}&force=true"), body)
}

pub(super) async fn steps(session: &mut Session, calls: impl IntoIterator<Item = Call>) {
    for call in calls {
        session.check(call).await;
    }
}

/// Applies specs to one sprocket, each by a manager; the prefix `!` forces.
async fn applies(session: &mut Session, name: &str, steps: &[(impl AsRef<str>, Value)]) {
    let path = format!("{SPROCKETS}/{name}");
    for (manager, spec) in steps {
        let body = sprocket(name, spec);
        let manager = manager.as_ref();
        let call = match manager.strip_prefix('!') {
            Some(manager) => forced(&path, manager, &body),
            None => apply(&path, manager, &body),
        };
        session.check(call).await;
    }
}

async fn options(session: &mut Session) {
    let path = &format!("{MAPS}/options");
    let body = &map("options", &json!({ "a": "1" }));
    let long = "m".repeat(128);
    let longer = "m".repeat(129);
    for query in [
        "",
        "?fieldManager=",
        "?force=true",
        &format!("?fieldManager={longer}"),
        &format!("?fieldManager={long}"),
        "?fieldManager=a%0Ab",
        "?fieldManager=a%20b",
        "?fieldManager=%C3%A9",
        "?fieldManager=a&force=bogus",
        "?fieldManager=a&dryRun=None",
        "?fieldManager=a&fieldValidation=Bogus",
        "?dryRun=None",
        "?fieldManager=a&dryRun=All",
        "?fieldManager=a&fieldValidation=Strict",
        "?fieldManager=a&fieldValidation=Strict",
        "?fieldManager=a&force=false",
    ] {
        session.patch(format!("{path}{query}"), "apply", body).await;
    }
    session.get(path).await;
    for (method, query) in [
        (Method::POST, format!("?fieldManager={longer}")),
        (Method::POST, "?fieldManager=a%0Ab".to_owned()),
    ] {
        let call = Call::new(method, format!("{MAPS}{query}")).json(&map("other", &json!({})));
        session.check(call).await;
    }
    let other = map("options", &json!({ "a": "2" }));
    let call = Call::put(format!("{path}?fieldManager={longer}"), &other);
    session.check(call).await;
    let call = Call::patch(format!("{path}?fieldManager={longer}"), "merge", &json!({}));
    session.check(call).await;
    let call = Call::patch(format!("{path}?force=true"), "merge", &json!({}));
    session.check(call).await;
    for content_type in [
        "application/apply-patch+json",
        "application/apply-patch+cbor",
        "application/yaml",
        "application/apply-patch+yaml;charset=utf-8",
    ] {
        let call = apply(path, "a", body).content_type(content_type);
        session.check(call).await;
        let path = format!("{SPROCKETS}/options");
        let body = sprocket("options", &json!({ "color": "red" }));
        let call = apply(&path, "a", &body).content_type(content_type);
        session.check(call).await;
    }
}

/// Malformed documents.
async fn documents(session: &mut Session) {
    for (path, good) in [
        (format!("{MAPS}/doc"), map("doc", &json!({ "a": "1" }))),
        (
            format!("{SPROCKETS}/doc"),
            sprocket("doc", &json!({ "color": "red" })),
        ),
    ] {
        let with = |pointer: &str, value: Value| {
            let mut body = good.clone();
            let (parent, field) = pointer.rsplit_once('/').unwrap();
            body.pointer_mut(parent).unwrap()[field] = value;
            body
        };
        let metadata = |name: &str, value: Value| with(&format!("/metadata/{name}"), value);
        let bodies = [
            with("/kind", json!("Bogus")),
            with("/apiVersion", json!("v2")),
            with("/apiVersion", json!("")),
            with("/kind", json!(null)),
            metadata("managedFields", json!([])),
            metadata("managedFields", json!([{ "manager": "x" }])),
            metadata("managedFields", json!(null)),
            metadata("name", json!("other")),
            metadata("name", json!(null)),
            metadata("namespace", json!("other")),
            metadata("namespace", json!("apply")),
            metadata("uid", json!("1234")),
            metadata("resourceVersion", json!("5")),
            metadata("resourceVersion", json!("x")),
            metadata("resourceVersion", json!("0")),
            metadata("generateName", json!("gen-")),
            metadata("bogus", json!("x")),
            metadata("labels", json!({ "a": 1 })),
            metadata("labels", json!({ "a b": "c" })),
            with("/bogus", json!(1)),
            json!({}),
            json!([]),
            json!("text"),
            json!(null),
        ];
        // Before the object exists, ...
        for body in &bodies {
            let dry = format!("a&dryRun=All&x={}", bodies.len());
            session.check(apply(&path, &dry, body)).await;
        }
        session
            .check(apply(&path, "a", &good).keep("applied"))
            .await;
        // ... and afterwards.
        for body in &bodies {
            session.check(apply(&path, "a", body)).await;
        }
        let known = metadata("resourceVersion", json!("$applied.rv$"));
        session.check(apply(&path, "b", &known)).await;
        let known = metadata("uid", json!("$applied.uid$"));
        session.check(apply(&path, "b", &known)).await;
        session.get(&path).await;
        for text in ["", "{", "a: [", "a: b: c", "- a", "\"x\""] {
            session.check(apply(&path, "a", &good).text(text)).await;
        }
    }
    let path = format!("{MAPS}/yaml");
    let yaml = "# A comment\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n  labels: {a: \"1\"}\ndata:\n  text: |\n    one\n    two\n  yes: \"no\"\n";
    session
        .check(apply(&path, "a", &json!({})).text(yaml))
        .await;
    let none = "/api/v1/namespaces/none/configmaps/x";
    session.check(apply(none, "a", &map("x", &json!({})))).await;
    session.check(apply(MAPS, "a", &map("x", &json!({})))).await;
}

/// Several managers of one config map.
async fn maps(session: &mut Session) {
    let path = &format!("{MAPS}/m");
    let of = |data: Value| map("m", &data);
    let labelled = |labels: Value| {
        let mut body = of(json!({}));
        body["metadata"]["labels"] = labels;
        body
    };
    steps(
        session,
        [
            apply(path, "a", &of(json!({ "a": "1", "shared": "x" }))),
            // No change.
            apply(path, "a", &of(json!({ "a": "1", "shared": "x" }))),
            apply(path, "b", &of(json!({ "b": "1", "shared": "x" }))),
            apply(path, "b", &of(json!({ "b": "1", "shared": "x" }))),
            // Conflicts: of one field, of several, with several managers.
            apply(path, "b", &of(json!({ "b": "1", "shared": "y" }))),
            apply(path, "c", &of(json!({ "a": "2", "b": "2", "shared": "y" }))),
            apply(path, "c&dryRun=All", &of(json!({ "a": "2" }))),
            forced(path, "c&dryRun=All", &of(json!({ "a": "2" }))),
            // A shared field is removed when its last owner omits it.
            apply(path, "a", &of(json!({ "a": "1" }))),
            apply(path, "b", &of(json!({ "b": "1" }))),
            forced(path, "c", &of(json!({ "a": "2", "b": "2" }))),
            apply(path, "a", &of(json!({ "a": "2" }))),
            apply(path, "c", &of(json!({}))),
            Call::get(path.as_str()),
            apply(path, "l", &labelled(json!({ "x": "1", "y": "1" }))),
            apply(path, "l", &labelled(json!({ "x": "1" }))),
            apply(path, "m", &labelled(json!({ "x": "1" }))),
            apply(path, "m", &labelled(json!({ "x": "2" }))),
            apply(path, "l", &labelled(json!({}))),
            apply(path, "m", &labelled(json!({ "x": "2" }))),
            apply(path, "m", &labelled(json!({ "x": null }))),
            Call::get(path.as_str()),
            Call::patch(
                format!("{path}?fieldManager=p"),
                "merge",
                &json!({ "data": { "a": "9" } }),
            ),
            apply(path, "a", &of(json!({ "a": "2" }))),
            forced(path, "a", &of(json!({ "a": "2" }))),
            Call::patch(
                format!("{path}?fieldManager=p"),
                "json",
                &json!([{ "op": "remove", "path": "/data/a" }]),
            ),
            apply(path, "a", &of(json!({ "a": "3" }))),
            Call::patch(
                format!("{path}?fieldManager=p"),
                "strategic-merge",
                &json!({ "data": { "s": "9" }, "metadata": { "annotations": { "n": "1" } } }),
            ),
            apply(path, "s", &of(json!({ "s": "9" }))),
            // An update owns the field as well, so it stays.
            apply(path, "s", &of(json!({}))),
            Call::get(path.as_str()),
            Call::delete(path.as_str()),
            apply(path, "a", &of(json!({ "a": "1" }))),
        ],
    )
    .await;
    let meta = |metadata: Value| {
        let mut body = of(json!({}));
        body["metadata"] = metadata;
        body["metadata"]["name"] = json!("m");
        body
    };
    steps(
        session,
        [
            apply(path, "f", &meta(json!({ "finalizers": ["example.com/a"] }))),
            apply(path, "g", &meta(json!({ "finalizers": ["example.com/b", "example.com/a"] }))),
            apply(path, "f", &meta(json!({}))),
            apply(path, "g", &meta(json!({ "finalizers": ["example.com/b"] }))),
            apply(path, "g", &meta(json!({}))),
            apply(path, "p", &meta(json!({}))),
            apply(path, "p", &meta(json!({ "annotations": { "a/b": "c", "é": "x" } }))),
            apply(path, "p", &meta(json!({ "annotations": { "a/b": "c" }, "creationTimestamp": "2020-01-01T00:00:00Z" }))),
            Call::get(path.as_str()),
        ],
    )
    .await;
}

/// Associative lists: maps and sets.
async fn lists(session: &mut Session) {
    let item = |name: &str, value: &str| json!({ "name": name, "value": value });
    applies(
        session,
        "items",
        &[
            ("a", json!({ "items": [item("x", "1"), item("y", "1")] })),
            ("b", json!({ "items": [item("z", "1"), item("x", "1")] })),
            ("b", json!({ "items": [item("z", "1"), item("x", "2")] })),
            ("!b", json!({ "items": [item("z", "1"), item("x", "2")] })),
            ("a", json!({ "items": [item("y", "1")] })),
            ("b", json!({ "items": [item("z", "1")] })),
            ("c", json!({ "items": [item("w", "1"), item("y", "1"), item("v", "1"), item("z", "1")] })),
            ("c", json!({ "items": [item("z", "1"), item("v", "1"), item("y", "1")] })),
            ("a", json!({ "items": [] })),
            ("c", json!({ "items": [{ "name": "v" }] })),
            ("c", json!({})),
            ("d", json!({ "items": [{ "name": "t", "tags": ["a", "b"] }] })),
            ("e", json!({ "items": [{ "name": "t", "tags": ["b", "c"] }] })),
            ("d", json!({ "items": [{ "name": "t" }] })),
            ("e", json!({ "items": [{ "name": "t", "tags": ["c"] }] })),
            ("d", json!({})),
            ("e", json!({})),
        ],
    )
    .await;
    let pair =
        |name: &str, kind: &str, value: &str| json!({ "name": name, "kind": kind, "value": value });
    applies(
        session,
        "pairs",
        &[
            (
                "a",
                json!({ "pairs": [pair("x", "k", "1"), item("x", "1")] }),
            ),
            ("b", json!({ "pairs": [pair("x", "plain", "2")] })),
            ("!b", json!({ "pairs": [pair("x", "plain", "2")] })),
            ("a", json!({ "pairs": [pair("x", "k", "1")] })),
            ("b", json!({ "pairs": [item("x", "2")] })),
            ("b", json!({})),
        ],
    )
    .await;
    applies(
        session,
        "sets",
        &[
            ("a", json!({ "set": ["x", "y"], "numbers": [1, 2] })),
            ("b", json!({ "set": ["z", "x"], "numbers": [3, 1] })),
            ("a", json!({ "set": ["y"], "numbers": [2] })),
            ("b", json!({ "set": ["z"] })),
            ("a", json!({ "set": ["<&>", "a b", "é"] })),
            ("b", json!({})),
            ("a", json!({})),
        ],
    )
    .await;
}

/// Atomic values.
async fn atoms(session: &mut Session) {
    applies(session, "atoms", &rows::<(String, Value)>(TABLES, "atoms")).await;
    session.get(format!("{SPROCKETS}/atoms")).await;
}

/// Fields without a schema.
async fn open(session: &mut Session) {
    applies(session, "open", &rows::<(String, Value)>(TABLES, "open")).await;
    let path = &format!("{GIZMOS}/g");
    let gizmo = |rest: Value| {
        let mut body =
            json!({ "apiVersion": "example.com/v1", "kind": "Gizmo", "metadata": { "name": "g" } });
        for (name, value) in rest.as_object().unwrap() {
            body[name] = value.clone();
        }
        body
    };
    steps(
        session,
        [
            apply(path, "a", &gizmo(json!({ "spec": { "a": 1, "list": [{ "name": "x" }] }, "status": { "phase": "x" } }))),
            apply(path, "b", &gizmo(json!({ "spec": { "a": 1.5 }, "other": true }))),
            apply(path, "b", &gizmo(json!({ "spec": { "b": 1.5 }, "other": true }))),
            apply(path, "a", &gizmo(json!({ "spec": { "list": [] } }))),
            apply(path, "a", &gizmo(json!({}))),
            apply(path, "b", &gizmo(json!({ "metadata": { "name": "g", "labels": { "a": "b" } } }))),
            Call::get(path.as_str()),
        ],
    )
    .await;
}

/// Violations of the schema.
async fn broken(session: &mut Session) {
    let specs = rows::<Value>(TABLES, "broken");
    let mut calls = Vec::new();
    for spec in specs {
        calls.push(apply(
            &format!("{SPROCKETS}/broken"),
            "a&dryRun=All",
            &sprocket("broken", &spec),
        ));
    }
    let path = format!("{DEPLOYMENTS}/broken");
    for spec in [
        json!({ "bogus": 1 }),
        json!({ "template": { "spec": { "containers": [{ "image": "x" }] } } }),
        json!({ "template": { "spec": { "containers": [{ "name": "a", "ports": [{ "containerPort": "x" }] }] } } }),
    ] {
        let body = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "broken" }, "spec": spec });
        calls.push(apply(&path, "a", &body));
    }
    session.check_all(calls).await;
}

async fn status(session: &mut Session) {
    let path = format!("{SPROCKETS}/st");
    let sub = format!("{path}/status");
    let of = |status: Value| json!({ "apiVersion": "example.com/v1", "kind": "Sprocket", "metadata": { "name": "st" }, "status": status });
    let both = |spec: Value, status: Value| {
        let mut body = of(status);
        body["spec"] = spec;
        body["metadata"]["labels"] = json!({ "a": "b" });
        body
    };
    let ready = |status: &str| json!({ "conditions": [{ "type": "Ready", "status": status }] });
    steps(
        session,
        [
            apply(&sub, "s", &of(json!({ "phase": "a" }))),
            apply(
                &path,
                "a",
                &both(json!({ "color": "red" }), json!({ "phase": "a" })),
            ),
            apply(&sub, "s", &of(json!({ "phase": "a" }))),
            apply(&sub, "s", &of(json!({ "phase": "a" }))),
            apply(&sub, "t", &of(json!({ "phase": "b" }))),
            apply(&sub, "a", &of(json!({ "phase": "b" }))),
            forced(&sub, "t", &of(json!({ "phase": "b" }))),
            apply(&sub, "u", &both(json!({ "color": "green" }), ready("True"))),
            apply(
                &sub,
                "v",
                &of(json!({ "conditions": [{ "type": "Other", "status": "x" }] })),
            ),
            apply(&sub, "u", &of(ready("False"))),
            apply(&sub, "u", &of(json!({}))),
            apply(&path, "v", &of(json!({}))),
            Call::patch(
                format!("{sub}?fieldManager=p"),
                "merge",
                &json!({ "status": { "phase": "c" }, "spec": { "color": "x" } }),
            ),
            apply(&sub, "t", &of(json!({ "phase": "b" }))),
            Call::get(&path),
            Call::patch(
                format!("{sub}?fieldManager=p"),
                "merge",
                &json!({ "status": null }),
            ),
            Call::patch(
                format!("{path}?fieldManager=p"),
                "merge",
                &json!({ "status": { "phase": "z" } }),
            ),
            Call::get(&path),
        ],
    )
    .await;
}

async fn scale(session: &mut Session) {
    let path = format!("{SPROCKETS}/sc");
    let sub = format!("{path}/scale");
    let scale = |replicas: i64| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "sc", "namespace": "apply" }, "spec": { "replicas": replicas },
        })
    };
    applies(
        session,
        "sc",
        &[("a", json!({ "replicas": 1, "color": "red" }))],
    )
    .await;
    steps(
        session,
        [
            Call::get(&sub),
            Call::put(format!("{sub}?fieldManager=p"), &scale(2)),
            Call::get(&path),
            Call::get(&sub),
            Call::patch(
                format!("{sub}?fieldManager=q"),
                "merge",
                &json!({ "spec": { "replicas": 3 } }),
            ),
            Call::get(&path),
            Call::patch(
                format!("{sub}?fieldManager=q"),
                "merge",
                &json!({ "spec": { "replicas": 3 } }),
            ),
            Call::patch(
                format!("{sub}?fieldManager=q"),
                "merge",
                &json!({ "spec": { "replicas": 4 } }),
            ),
            Call::get(&path),
        ],
    )
    .await;
    applies(
        session,
        "sc",
        &[
            ("a", json!({ "replicas": 1, "color": "red" })),
            ("a", json!({ "color": "red" })),
            ("!a", json!({ "replicas": 1, "color": "red" })),
        ],
    )
    .await;
    steps(
        session,
        [
            apply(&sub, "s", &scale(5)),
            forced(&sub, "s", &scale(5)),
            Call::get(&path),
            apply(&sub, "s", &scale(6)),
            apply(&sub, "t", &scale(6)),
            apply(&sub, "t", &json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "sc" } })),
            apply(&sub, "s", &json!({ "apiVersion": "v1", "kind": "Scale", "metadata": { "name": "sc" } })),
            Call::get(&path),
        ],
    )
    .await;
}

/// Writes other than applies.
async fn updates(session: &mut Session) {
    let by = |path: &str, manager: &str| format!("{path}?fieldManager={manager}");
    for (collection, body) in [
        (MAPS, map("up", &json!({ "a": "1", "b": "1" }))),
        (
            SPROCKETS,
            sprocket(
                "up",
                &json!({ "color": "red", "items": [{ "name": "x" }], "set": ["a"], "inner": { "a": "1" }, "any": { "x": [1] } }),
            ),
        ),
    ] {
        let path = format!("{collection}/up");
        let mut labelled = body.clone();
        labelled["metadata"]["labels"] = json!({ "x": "1" });
        labelled["metadata"]["resourceVersion"] = json!("$up.rv$");
        let mut other = body.clone();
        other["metadata"]["resourceVersion"] = json!("$up.rv$");
        let (field, value) = match collection {
            MAPS => ("data", json!({ "a": "2" })),
            _ => (
                "spec",
                json!({ "color": "blue", "items": [{ "name": "y", "value": "1" }] }),
            ),
        };
        other[field] = value;
        let mut mine = other.clone();
        mine["metadata"]
            .as_object_mut()
            .unwrap()
            .remove("resourceVersion");
        steps(
            session,
            [
                Call::post(collection, &body).keep("up"),
                Call::get(&path).keep("up"),
                Call::put(by(&path, "u"), &labelled).keep("up"),
                Call::put(by(&path, "u"), &labelled).keep("up"),
                Call::put(by(&path, "w"), &other).keep("up"),
                Call::put(&path, &other).keep("up"),
                Call::patch(
                    &path,
                    "merge",
                    &json!({ "metadata": { "annotations": { "a": "b" } } }),
                ),
                Call::patch(
                    by(&path, "x"),
                    "json",
                    &json!([{ "op": "remove", "path": "/metadata/annotations" }]),
                ),
                Call::patch(
                    by(&path, "x"),
                    "merge",
                    &json!({ "metadata": { "annotations": null } }),
                ),
                Call::patch(
                    by(&path, "x&dryRun=All"),
                    "merge",
                    &json!({ "metadata": { "annotations": { "a": "b" } } }),
                ),
                apply(&path, "applier", &mine),
                apply(&path, "applier", &mine),
                Call::get(&path),
            ],
        )
        .await;
    }
    let generated = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "generateName": "gen-", "labels": { "a": "b" }, "finalizers": ["example.com/x"] },
    });
    session.post(by(MAPS, "g"), &generated).await;
    let bare = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "bare" } });
    session.post(by(MAPS, "g"), &bare).await;
    let path = format!("{MAPS}/bare");
    session.put(by(&path, "h"), &bare).await;
    session
        .put(by(&path, "h"), &map("bare", &json!({ "a": "1" })))
        .await;
    session.check(apply(&path, "a", &bare)).await;
    session
        .check(apply(&path, "a", &map("bare", &json!({ "a": "1" }))))
        .await;
}

/// At most ten updaters are kept.
async fn capped(session: &mut Session) {
    let path = format!("{MAPS}/cap");
    session
        .post(
            format!("{MAPS}?fieldManager=a0"),
            &map("cap", &json!({ "z": "1" })),
        )
        .await;
    for n in 0..13 {
        let mut data = json!({});
        data[format!("k{n}")] = json!("1");
        let call = Call::patch(
            format!("{path}?fieldManager=m{n:02}"),
            "merge",
            &json!({ "data": data }),
        );
        session.check(call).await;
    }
    let data = json!({ "k0": "2", "k5": "2" });
    let call = apply(&path, "a", &map("cap", &data));
    session.check(call).await;
}

/// Managers that a document sets or clears.
async fn reset(session: &mut Session) {
    let path = format!("{MAPS}/reset");
    let entry = json!({
        "manager": "given", "operation": "Apply", "apiVersion": "v1", "time": "2020-01-01T00:00:00Z",
        "fieldsType": "FieldsV1", "fieldsV1": { "f:data": { "f:a": {} } },
    });
    let with = |entries: Value| {
        let mut body = map("reset", &json!({ "a": "1", "b": "1" }));
        body["metadata"]["managedFields"] = entries;
        body
    };
    let merge = |entries: Value| {
        let call = json!({ "metadata": { "managedFields": entries } });
        Call::patch(format!("{path}?fieldManager=p"), "merge", &call)
    };
    let mut bogus = entry.clone();
    bogus["operation"] = json!("Bogus");
    let mut old = entry.clone();
    old["apiVersion"] = json!("v0");
    let a = |value: &str| map("reset", &json!({ "a": value }));
    steps(
        session,
        [
            Call::post(format!("{MAPS}?fieldManager=c"), &with(json!([entry]))),
            apply(&path, "x", &a("2")),
            merge(json!([entry])),
            apply(&path, "given", &a("2")),
            apply(&path, "given", &map("reset", &json!({}))),
            merge(json!([bogus])),
            merge(json!([old])),
            Call::get(&path),
            merge(json!([])),
            Call::get(&path),
            Call::patch(
                format!("{path}?fieldManager=p"),
                "merge",
                &json!({ "data": { "c": "1" } }),
            ),
            apply(&path, "x", &map("reset", &json!({ "c": "2", "d": "1" }))),
            forced(&path, "x", &map("reset", &json!({ "c": "2", "d": "1" }))),
            merge(json!([{}])),
            Call::get(&path),
            apply(&path, "x", &map("reset", &json!({ "d": "1" }))),
            apply(&path, "x", &map("reset", &json!({}))),
            merge(json!(null)),
        ],
    )
    .await;
}

/// A built-in kind with all kinds of lists. Only the sets of applied fields are equal: the real
/// server adds defaults.
async fn deployments(session: &mut Session) {
    let path = &format!("{DEPLOYMENTS}/d");
    let of = |containers: Value| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d", "labels": { "app": "d" } },
            "spec": {
                "selector": { "matchLabels": { "app": "d" } },
                "template": {
                    "metadata": { "labels": { "app": "d" } },
                    "spec": { "containers": containers },
                },
            },
        })
    };
    let main = |image: &str| {
        json!([{
            "name": "main", "image": image,
            "ports": [{ "containerPort": 80 }, { "containerPort": 80, "protocol": "UDP" }],
            "env": [{ "name": "A", "value": "1" }],
            "resources": { "limits": { "cpu": "1" } },
            "args": ["a", "b"],
        }])
    };
    let sidecar = json!([{ "name": "side", "image": "side:1" }]);
    let scale = |replicas: i64| {
        json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "d", "namespace": "apply" }, "spec": { "replicas": replicas },
        })
    };
    let replicas = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "d" }, "spec": { "replicas": 3 },
    });
    steps(
        session,
        [
            apply(path, "a", &of(main("main:1"))),
            apply(path, "a", &of(main("main:1"))),
            apply(path, "b", &of(sidecar)),
            apply(path, "b", &of(main("main:2"))),
            forced(path, "b", &of(main("main:2"))),
            apply(path, "c", &replicas),
            Call::patch(
                format!("{path}/scale?fieldManager=s"),
                "merge",
                &json!({ "spec": { "replicas": 5 } }),
            ),
            apply(path, "c", &replicas),
            Call::get(format!("{path}/scale")),
            apply(&format!("{path}/scale"), "t", &scale(4)),
            apply(&format!("{path}/scale"), "t", &scale(5)),
            Call::get(path.as_str()),
            forced(&format!("{path}/scale"), "t", &scale(6)),
            apply(&format!("{path}/scale"), "t", &scale(7)),
            Call::get(path.as_str()),
            apply(path, "c", &replicas),
            forced(path, "c", &replicas),
            apply(
                &format!("{path}/scale"),
                "t",
                &json!({ "apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": { "name": "d" } }),
            ),
            Call::patch(
                format!("{path}/status?fieldManager=k"),
                "merge",
                &json!({ "status": { "replicas": 5 } }),
            ),
            Call::get(path.as_str()),
        ],
    )
    .await;
}
