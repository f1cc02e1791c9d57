//! Creates and deletes.

use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{
    CRDS, GADGETS, MAPS, WIDGETS, definition, gadget, map, namespace, rows, widget,
};
use crate::session::Session;

const TABLES: &str = include_str!("writes.yaml");

pub(super) async fn run(session: &mut Session) {
    creates(session).await;
    names(session).await;
    schemas(session).await;
    deletes(session).await;
    collections(session).await;
    namespaces(session).await;
    definitions(session).await;
    built_in(session).await;
}

fn of(path: &str, name: &str) -> Value {
    match path {
        MAPS => map(name, "1"),
        WIDGETS => widget(name, 1),
        _ => gadget(name),
    }
}

fn with(mut object: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    object.pointer_mut(parent).unwrap()[field] = value;
    object
}

/// Metadata, options and content types.
async fn creates(session: &mut Session) {
    for path in [MAPS, WIDGETS, GADGETS] {
        let plain = of(path, "c");
        session.post(path, &plain).await;
        session.post(path, &plain).await;
        let first = match path {
            MAPS => "m0",
            WIDGETS => "w0",
            _ => "g0",
        };
        for (pointer, value) in rows::<(String, Value)>(TABLES, "creates") {
            // `$first` stands for the first object of the path.
            let value = value.to_string().replace("$first", &format!("${first}"));
            let value = serde_json::from_str(&value).unwrap();
            let body = with(of(path, "meta"), &pointer, value);
            for query in ["?dryRun=All", "?dryRun=All&fieldValidation=Strict"] {
                session.post(format!("{path}{query}"), &body).await;
            }
        }
        for query in [
            "?dryRun=All",
            "?dryRun=None",
            "?dryRun=",
            "?dryRun=all",
            "?dryRun=All&dryRun=All",
            "?dryRun=All&fieldValidation=Strict",
            "?dryRun=All&fieldValidation=Warn",
            "?dryRun=All&fieldValidation=Ignore",
            "?dryRun=All&fieldValidation=Bogus",
            "?dryRun=All&fieldManager=me",
            "?dryRun=All&fieldManager=a%0Ab",
            "?dryRun=All&pretty=true",
            "?dryRun=All&force=true",
            "?dryRun=All&resourceVersion=1",
        ] {
            session
                .post(format!("{path}{query}"), &of(path, "dry"))
                .await;
        }
        session.get(format!("{path}/dry")).await;
        bodies(session, path).await;
    }
}

/// Bodies that are not objects.
async fn bodies(session: &mut Session, path: &str) {
    let url = format!("{path}?dryRun=All");
    for (content_type, body) in rows::<(String, String)>(TABLES, "bodies") {
        let call = Call::new(http::Method::POST, &url).content_type(&content_type);
        session.check(call.text(&body)).await;
    }
}

async fn names(session: &mut Session) {
    let long = "a".repeat(253);
    let longer = "a".repeat(254);
    for path in [
        MAPS,
        WIDGETS,
        "/api/v1/namespaces",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
        "/api/v1/namespaces/diff/serviceaccounts",
    ] {
        let (api, kind) = match path {
            MAPS => ("v1", "ConfigMap"),
            WIDGETS => ("example.com/v1", "Widget"),
            "/api/v1/namespaces" => ("v1", "Namespace"),
            "/api/v1/namespaces/diff/serviceaccounts" => ("v1", "ServiceAccount"),
            _ => ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        };
        for name in [
            "", "a.b", "A", "a_b", "-a", "a-", ".", "..", "a/b", "a%b", "ä", "a b", "a..b", "a:b",
            "1", &long, &longer,
        ] {
            let body = json!({ "apiVersion": api, "kind": kind, "metadata": { "name": name }, "spec": { "size": 1 } });
            let body = if kind == "Widget" {
                body
            } else {
                with(body, "/spec", Value::Null)
            };
            session.post(format!("{path}?dryRun=All"), &body).await;
        }
        for prefix in ["gen-", "", "Agen-", "a_gen-", "a.gen-", "-gen-"] {
            let body = json!({ "apiVersion": api, "kind": kind, "metadata": { "generateName": prefix }, "spec": { "size": 1 } });
            let body = if kind == "Widget" {
                body
            } else {
                with(body, "/spec", Value::Null)
            };
            session.post(format!("{path}?dryRun=All"), &body).await;
        }
        let both = json!({ "apiVersion": api, "kind": kind, "metadata": { "name": "named", "generateName": "gen-" }, "spec": { "size": 1 } });
        let both = if kind == "Widget" {
            both
        } else {
            with(both, "/spec", Value::Null)
        };
        session.post(format!("{path}?dryRun=All"), &both).await;
    }
    let generated =
        json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "generateName": "gen-" } });
    session
        .check(Call::post(MAPS, &generated).keep("generated"))
        .await;
    session.get(format!("{MAPS}/$generated.name$")).await;
    session.delete(format!("{MAPS}/$generated.name$")).await;
}

/// Custom resources: validation, defaults, pruning.
async fn schemas(session: &mut Session) {
    for spec in [
        json!({}),
        json!({ "size": 1 }),
        json!({ "size": -1 }),
        json!({ "size": 101 }),
        json!({ "size": "x" }),
        json!({ "size": 1.5 }),
        json!({ "size": 1.0 }),
        json!({ "size": null }),
        json!({ "size": 1, "color": "blue" }),
        json!({ "size": 1, "color": 5 }),
        json!({ "size": 1, "color": null }),
        json!({ "size": 1, "shape": "square" }),
        json!({ "size": 1, "shape": null }),
        json!({ "size": 1, "tags": ["a", "b"] }),
        json!({ "size": 1, "tags": ["a", "b", "c"] }),
        json!({ "size": 1, "tags": [1] }),
        json!({ "size": 1, "tags": {} }),
        json!({ "size": 1, "any": { "x": { "y": 1 } } }),
        json!({ "size": 1, "any": 5 }),
        json!({ "size": 1, "port": "http" }),
        json!({ "size": 1, "port": 80 }),
        json!({ "size": 1, "port": true }),
        json!({ "size": 1, "unknown": 1 }),
        json!({ "size": 1, "unknown": 1, "other": { "x": 1 } }),
        json!({ "size": 1, "code": "abc" }),
        json!({ "size": 1, "code": "ABC" }),
        json!({ "size": -1, "color": "blue" }),
        json!([]),
        json!("x"),
        Value::Null,
    ] {
        for query in ["?dryRun=All", "?dryRun=All&fieldValidation=Strict"] {
            let body = with(widget("schema", 1), "/spec", spec.clone());
            session.post(format!("{WIDGETS}{query}"), &body).await;
        }
    }
}

async fn deletes(session: &mut Session) {
    for path in [MAPS, WIDGETS, GADGETS] {
        for (number, (query, body)) in rows::<(String, Value)>(TABLES, "deletes")
            .into_iter()
            .enumerate()
        {
            // Lists skip the objects that the real server's collector would have to process.
            let options = format!("{query}{body}");
            let odd = ["Orphan", "Foreground", "orphanDependents", "ignoreStore"];
            let kind = if odd.iter().any(|part| options.contains(part)) {
                "odd"
            } else {
                "d"
            };
            let name = format!("{kind}{number}");
            session
                .check(Call::post(path, &of(path, &name)).keep("d"))
                .await;
            let call = Call::delete(format!("{path}/{name}{query}"));
            session
                .check(if body.is_null() {
                    call
                } else {
                    call.json(&body)
                })
                .await;
            session.get(format!("{path}/{name}")).await;
        }
        for (content_type, body) in [
            ("text/plain", "{}"),
            ("application/yaml", "{}"),
            ("application/json", "{"),
            ("", "{}"),
        ] {
            let call = Call::delete(format!("{path}/none")).content_type(content_type);
            session.check(call.text(body)).await;
        }
        session.delete(format!("{path}/none")).await;
        session
            .check(
                Call::delete(format!("{path}/none"))
                    .json(&json!({ "preconditions": { "uid": "x" } })),
            )
            .await;
        finalizers(session, path).await;
    }
}

async fn finalizers(session: &mut Session, path: &str) {
    let body = with(
        of(path, "held"),
        "/metadata/finalizers",
        json!(["example.com/a", "example.com/b"]),
    );
    let held = format!("{path}/held");
    session.check(Call::post(path, &body).keep("held")).await;
    session.delete(&held).await;
    session.delete(&held).await;
    session.delete(format!("{held}?dryRun=All")).await;
    session.get(&held).await;
    for patch in [
        json!({ "metadata": { "finalizers": ["example.com/a", "example.com/b", "example.com/c"] } }),
        json!({ "metadata": { "deletionTimestamp": null } }),
        json!({ "metadata": { "labels": { "x": "y" } } }),
        json!({ "metadata": { "finalizers": ["example.com/b"] } }),
        json!({ "metadata": { "finalizers": [] } }),
    ] {
        session.patch(&held, "merge", &patch).await;
    }
    session.get(&held).await;
}

async fn collections(session: &mut Session) {
    for path in [MAPS, WIDGETS] {
        for name in ["x0", "x1", "x2", "x3"] {
            let body = with(
                of(path, name),
                "/metadata/labels",
                json!({ "set": "x", "one": name }),
            );
            session.post(path, &body).await;
        }
        for query in [
            "?labelSelector=one%3Dx0",
            "?labelSelector=one%3Dx1&dryRun=All",
            "?labelSelector=one%3D%3D%3D",
            "?fieldSelector=metadata.name%3Dx1",
            "?fieldSelector=bogus%3Dx1",
            "?labelSelector=set%3Dx&limit=1",
            "?labelSelector=set%3Dx&resourceVersion=0",
            "?labelSelector=set%3Dnone",
            "?labelSelector=set%3Dx&propagationPolicy=Bogus",
            "?labelSelector=set%3Dx",
        ] {
            session.delete(format!("{path}{query}")).await;
        }
        session.get(format!("{path}?labelSelector=set%3Dx")).await;
    }
}

async fn namespaces(session: &mut Session) {
    session
        .post("/api/v1/namespaces", &namespace("short"))
        .await;
    session
        .post(
            "/api/v1/namespaces/short/configmaps",
            &map("odd-inside", "1"),
        )
        .await;
    session.get("/api/v1/namespaces/short").await;
    session.get("/api/v1/namespaces/short/status").await;
    session
        .patch(
            "/api/v1/namespaces/short",
            "merge",
            &json!({ "metadata": { "labels": { "moved": "yes" } } }),
        )
        .await;
    session
        .put("/api/v1/namespaces/short", &namespace("short"))
        .await;
    session.delete("/api/v1/namespaces/short").await;
    session.get("/api/v1/namespaces/short").await;
    session
        .post("/api/v1/namespaces/short/configmaps", &map("late", "1"))
        .await;
    session
        .get("/api/v1/namespaces/short/configmaps/odd-inside")
        .await;
    session.delete("/api/v1/namespaces/default").await;
    session
        .delete("/api/v1/namespaces/kube-system?dryRun=All")
        .await;
    session.delete("/api/v1/namespaces").await;
}

async fn definitions(session: &mut Session) {
    let valid = || definition("example.com", "Probe", "Namespaced");
    for (pointer, value) in rows::<(String, Value)>(TABLES, "definitions") {
        let body = with(valid(), &pointer, value);
        session.post(format!("{CRDS}?dryRun=All"), &body).await;
    }
    for group in ["k8s.io", "x.k8s.io", "x.kubernetes.io", "apps"] {
        let body = definition(group, "Probe", "Namespaced");
        session.post(format!("{CRDS}?dryRun=All"), &body).await;
        let approved = with(
            body,
            "/metadata/annotations",
            json!({ "api-approved.kubernetes.io": "https://github.com/kubernetes/kubernetes/pull/1" }),
        );
        session.post(format!("{CRDS}?dryRun=All"), &approved).await;
    }
    session.post(format!("{CRDS}?dryRun=All"), &valid()).await;
    session
        .post(CRDS, &definition("gone.example.com", "Brief", "Namespaced"))
        .await;
    session
        .await_served("/apis/gone.example.com/v1/briefs")
        .await;
    session
        .delete(format!("{CRDS}/briefs.gone.example.com"))
        .await;
}

/// Kinds that the real server validates and defaults.
async fn built_in(session: &mut Session) {
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p" },
        "spec": { "containers": [{ "name": "main", "image": "x" }] },
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "dep" },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": "x" } },
            "template": { "metadata": { "labels": { "app": "x" } }, "spec": pod["spec"] },
        },
    });
    let pods = "/api/v1/namespaces/diff/pods";
    let deployments = "/apis/apps/v1/namespaces/diff/deployments";
    session.post(pods, &pod).await;
    session.get(format!("{pods}/p")).await;
    session
        .patch(
            format!("{pods}/p/status"),
            "merge",
            &json!({ "status": { "phase": "Running" } }),
        )
        .await;
    session
        .patch(
            format!("{pods}/p/status"),
            "strategic-merge",
            &json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } }),
        )
        .await;
    session
        .patch(
            format!("{pods}/p/status"),
            "strategic-merge",
            &json!({ "status": { "conditions": [{ "type": "Other", "status": "True" }] } }),
        )
        .await;
    session
        .patch(
            format!("{pods}/p"),
            "strategic-merge",
            &json!({ "spec": { "containers": [{ "name": "main", "image": "y" }] } }),
        )
        .await;
    session
        .check(Call::get(pods).accept("application/json;as=Table;v=v1;g=meta.k8s.io"))
        .await;
    session
        .post(
            pods,
            &with(pod.clone(), "/spec", json!({ "containers": [] })),
        )
        .await;
    session
        .post(pods, &with(pod.clone(), "/spec/bogus", json!(1)))
        .await;
    session.delete(format!("{pods}/p")).await;
    session.get(format!("{pods}/p")).await;
    session
        .check(Call::post(deployments, &deployment).keep("dep"))
        .await;
    session.get(format!("{deployments}/dep/scale")).await;
    session
        .patch(
            format!("{deployments}/dep/scale"),
            "merge",
            &json!({ "spec": { "replicas": 3 } }),
        )
        .await;
    session
        .patch(
            format!("{deployments}/dep/scale"),
            "merge",
            &json!({ "spec": { "replicas": -3 } }),
        )
        .await;
    session.patch(format!("{deployments}/dep"), "strategic-merge", &json!({ "spec": { "template": { "spec": { "containers": [{ "name": "side", "image": "z" }] } } } })).await;
    session.patch(format!("{deployments}/dep"), "strategic-merge", &json!({ "spec": { "template": { "spec": { "containers": [{ "name": "side", "$patch": "delete" }] } } } })).await;
    session
        .check(Call::get(deployments).accept("application/json;as=Table;v=v1;g=meta.k8s.io"))
        .await;
    session
        .put(
            format!("{deployments}/dep/status"),
            &with(deployment, "/status", json!({ "replicas": 1 })),
        )
        .await;
    session.delete(format!("{deployments}/dep")).await;
    let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s" }, "stringData": { "a": "b" } });
    let secrets = "/api/v1/namespaces/diff/secrets";
    session.post(secrets, &secret).await;
    session
        .post(
            secrets,
            &with(
                with(secret, "/metadata/name", json!("t")),
                "/data",
                json!({ "a": "not base64!" }),
            ),
        )
        .await;
    session
        .check(Call::get(secrets).accept("application/json;as=Table;v=v1;g=meta.k8s.io"))
        .await;
}
