//! Updates and patches.

use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, gadget, map, widget};
use crate::session::Session;

pub(super) async fn run(session: &mut Session) {
    for path in [MAPS, WIDGETS, GADGETS] {
        let body = of(path);
        session.check(Call::post(path, &body).keep("u")).await;
        untyped(session, path).await;
        puts(session, path).await;
        patches(session, path).await;
        applies(session, path).await;
        session.check(Call::delete(url_of(path))).await;
    }
    subresources(session).await;
    moves(session).await;
}

/// Returns the URL of the object of [`of`].
fn url_of(path: &str) -> String {
    let name = if path == MAPS { "odd-u" } else { "u" };
    format!("{path}/{name}")
}

fn of(path: &str) -> Value {
    match path {
        // Its unknown fields cause versions that the real server does not have, so the streams skip
        // it.
        MAPS => map("odd-u", "1"),
        WIDGETS => widget("u", 1),
        _ => gadget("u"),
    }
}

/// Bodies without `kind` and `apiVersion`.
async fn untyped(session: &mut Session, path: &str) {
    let body = of(path).to_string();
    let url = url_of(path);
    for (method, at) in [(http::Method::POST, path), (http::Method::PUT, &url)] {
        let call = Call::new(method, format!("{at}?dryRun=All"));
        session.check(call.text(&body)).await;
    }
}

async fn puts(session: &mut Session, path: &str) {
    let url = url_of(path);
    let changed = |value: &str| {
        let mut body = of(path);
        body["metadata"]["annotations"] = json!({ "value": value });
        body
    };
    for (pointer, value) in [
        ("resourceVersion", json!("$u.rv$")),
        ("resourceVersion", json!("1")),
        ("resourceVersion", json!("0")),
        ("resourceVersion", json!("x")),
        ("resourceVersion", json!("")),
        ("uid", json!("x")),
        ("uid", json!("$u.uid$")),
        ("name", json!("other")),
        ("name", json!("")),
        ("namespace", json!("other")),
        ("generation", json!(99)),
        ("creationTimestamp", json!("2020-01-01T00:00:00Z")),
        ("deletionTimestamp", json!("2020-01-01T00:00:00Z")),
        ("labels", json!({ "a b": "c" })),
        ("bogus", json!(1)),
    ] {
        for version in [None, Some("$u.rv$")] {
            let mut body = changed("1");
            if let Some(version) = version {
                body["metadata"]["resourceVersion"] = version.into();
            }
            body["metadata"][pointer] = value.clone();
            session
                .check(Call::put(format!("{url}?dryRun=All"), &body))
                .await;
        }
    }
    let mut body = changed("2");
    body["metadata"]["resourceVersion"] = "$u.rv$".into();
    session.check(Call::put(&url, &body).keep("u2")).await;
    // The version is stale.
    session
        .check(Call::put(&url, &changed("3")).keep("u3"))
        .await;
    session.check(Call::put(&url, &body)).await;
    for query in [
        "?dryRun=All&fieldValidation=Strict",
        "?dryRun=Bogus",
        "?fieldValidation=Bogus",
    ] {
        let mut body = changed("4");
        body["metadata"]["resourceVersion"] = "$u2.rv$".into();
        session
            .check(Call::put(format!("{url}{query}"), &body))
            .await;
    }
    session.check(Call::get(&url).keep("u")).await;
    session
        .check(Call::put(format!("{path}/new"), &of(path)))
        .await;
    let mut new = of(path);
    new["metadata"]["name"] = "new".into();
    session.check(Call::put(format!("{path}/new"), &new)).await;
    new["metadata"]["resourceVersion"] = "1".into();
    session.check(Call::put(format!("{path}/new"), &new)).await;
    new["metadata"]["uid"] = "x".into();
    session.check(Call::put(format!("{path}/new"), &new)).await;
    let mut body = of(path);
    body["metadata"]["resourceVersion"] = "$u.rv$".into();
    body["status"] = json!({ "phase": "x" });
    session.check(Call::put(&url, &body).keep("u")).await;
}

/// JSON patches at and beyond the limits: 10,000 operations, and 3 MiB copied by all of them.
fn large() -> Vec<Value> {
    let mut patches = Vec::new();
    for operations in [10_000, 10_001] {
        let operation = json!({ "op": "test", "path": "/metadata/uid", "value": "$u.uid$" });
        patches.push(Value::Array(vec![operation; operations]));
    }
    let (all, copies) = (3 * 1024 * 1024, 4);
    // The JSON of a string has two quotes.
    for len in [all / copies - 2, all / copies - 1] {
        let mut patch =
            vec![json!({ "op": "add", "path": "/spare", "value": { "a": "x".repeat(len) } })];
        let copy = json!({ "op": "copy", "from": "/spare/a", "path": "/spare/b" });
        patch.resize(1 + copies, copy);
        patch.push(json!({ "op": "remove", "path": "/spare" }));
        patches.push(Value::Array(patch));
    }
    patches
}

async fn patches(session: &mut Session, path: &str) {
    let url = url_of(path);
    let merges = [
        json!({}),
        json!({ "metadata": { "labels": { "p": "1" } } }),
        json!({ "metadata": { "labels": { "p": "1" } } }),
        json!({ "metadata": { "labels": { "p": null } } }),
        json!({ "metadata": { "labels": null } }),
        json!({ "metadata": { "annotations": { "x": "y" } } }),
        json!({ "metadata": { "labels": { "p": 5 } } }),
        json!({ "metadata": { "labels": "x" } }),
        json!({ "metadata": { "name": "other" } }),
        json!({ "metadata": { "namespace": "other" } }),
        json!({ "metadata": { "uid": "x" } }),
        json!({ "metadata": { "resourceVersion": "1" } }),
        json!({ "metadata": { "resourceVersion": "x" } }),
        json!({ "metadata": { "resourceVersion": null } }),
        json!({ "metadata": { "generation": 50 } }),
        json!({ "metadata": { "creationTimestamp": null } }),
        json!({ "metadata": { "deletionTimestamp": "2020-01-01T00:00:00Z" } }),
        json!({ "metadata": null }),
        json!({ "kind": "Bogus" }),
        json!({ "apiVersion": "bogus/v1" }),
        json!({ "kind": null }),
        json!({ "status": { "phase": "patched" } }),
        json!({ "bogus": 1 }),
        json!({ "spec": { "size": 2 } }),
        json!({ "spec": { "size": -2 } }),
        json!({ "spec": null }),
        json!({ "data": { "new": "x" } }),
        json!({ "data": { "new": 5 } }),
        json!([]),
        json!("x"),
        json!(null),
    ];
    for patch in &merges {
        for kind in ["merge", "strategic-merge"] {
            session.check(Call::patch(&url, kind, patch)).await;
        }
    }
    for patch in [
        json!([]),
        json!([{ "op": "add", "path": "/metadata/labels", "value": { "j": "1" } }]),
        json!([{ "op": "replace", "path": "/metadata/labels/j", "value": "2" }]),
        json!([{ "op": "test", "path": "/metadata/labels/j", "value": "2" }]),
        json!([{ "op": "test", "path": "/metadata/labels/j", "value": "3" }]),
        json!([{ "op": "remove", "path": "/metadata/labels/none" }]),
        json!([{ "op": "remove", "path": "/metadata/labels/j" }]),
        json!([{ "op": "replace", "path": "/none/of/it", "value": 1 }]),
        json!([{ "op": "add", "path": "/none/of/it", "value": 1 }]),
        json!([{ "op": "bogus", "path": "/metadata/labels" }]),
        json!([{ "op": "add" }]),
        json!([{ "op": "copy", "from": "/metadata/name", "path": "/metadata/annotations/copy" }]),
        json!([{ "op": "move", "from": "/metadata/annotations", "path": "/metadata/labels" }]),
        json!([{ "op": "replace", "path": "/metadata/name", "value": "other" }]),
        json!([{ "op": "remove", "path": "/metadata" }]),
        // The patches of kube's `finalizer()`: add the first one, then remove it.
        json!([
            { "op": "test", "path": "/metadata/finalizers", "value": null },
            { "op": "add", "path": "/metadata/finalizers", "value": ["example.com/f"] },
        ]),
        json!([
            { "op": "test", "path": "/metadata/finalizers/0", "value": "example.com/f" },
            { "op": "remove", "path": "/metadata/finalizers/0" },
        ]),
        // Operations that RFC 6902 rejects and evanphx/json-patch accepts.
        json!([{ "op": "test", "path": "/metadata/none", "value": null }]),
        json!([{ "op": "test", "path": "/metadata/none" }]),
        json!([{ "op": "test", "path": "/metadata/none/of", "value": null }]),
        json!([{ "op": "test", "path": "/metadata/name", "value": null }]),
        json!([{ "op": "test", "path": "/metadata/name" }]),
        json!([{ "op": "replace", "path": "/metadata/annotations", "value": { "new": "1" } }]),
        json!([{ "op": "replace", "path": "/metadata/annotations/other", "value": "1" }]),
        json!([{ "op": "add", "path": "/metadata/annotations/none" }]),
        json!([{ "op": "add", "path": "/metadata/annotations/slash~1tilde~0", "value": "1" }]),
        json!([{ "op": "copy", "from": "/metadata/none", "path": "/metadata/annotations/none" }]),
        json!([{ "op": "move", "from": "/metadata/none", "path": "/metadata/annotations/none" }]),
        json!([{ "op": "remove", "path": "/metadata/none" }]),
        json!([{ "op": "replace", "path": "", "value": {} }]),
        json!([{ "op": "replace", "path": "", "value": 1 }]),
        json!([{ "op": "add", "path": "", "value": {} }]),
        json!([{ "op": "remove", "path": "" }]),
        json!([{ "op": "test", "path": "", "value": {} }]),
        json!([{ "op": "test", "path": "relative/kind", "value": "ConfigMap" }]),
        json!([{ "op": "add", "path": "/metadata/finalizers", "value": ["a.io/1", "a.io/2"] }]),
        json!([{ "op": "test", "path": "/metadata/finalizers/-1", "value": "a.io/2" }]),
        json!([{ "op": "test", "path": "/metadata/finalizers/+1", "value": "a.io/2" }]),
        json!([{ "op": "test", "path": "/metadata/finalizers/01", "value": "a.io/2" }]),
        json!([{ "op": "test", "path": "/metadata/finalizers/2", "value": null }]),
        json!([{ "op": "test", "path": "/metadata/finalizers/-", "value": "a.io/2" }]),
        json!([{ "op": "replace", "path": "/metadata/finalizers/2", "value": "a.io/3" }]),
        json!([{ "op": "replace", "path": "/metadata/finalizers/-", "value": "a.io/3" }]),
        json!([{ "op": "add", "path": "/metadata/finalizers/-1", "value": "a.io/3" }]),
        json!([{ "op": "add", "path": "/metadata/finalizers/-", "value": "a.io/4" }]),
        json!([{ "op": "add", "path": "/metadata/finalizers/9", "value": "a.io/9" }]),
        json!([{ "op": "remove", "path": "/metadata/finalizers/-1" }]),
        json!([{ "op": "remove", "path": "/metadata/finalizers/-9" }]),
        json!([{ "op": "move", "from": "/metadata/finalizers/0", "path": "/metadata/finalizers/1" }]),
        json!([{ "op": "test", "path": "/metadata/finalizers", "value": ["a.io/2"] }]),
        json!([{ "op": "test", "path": "/metadata/labels", "value": {} }]),
        json!([{ "op": "remove", "path": "/metadata/finalizers" }]),
        json!([{ "op": 5, "path": "/metadata/labels" }]),
        json!([{ "path": "/metadata/labels" }]),
        json!([{ "op": "add", "path": 5, "value": 1 }]),
        json!([{ "op": "copy", "path": "/metadata/annotations/copy" }]),
        json!([null]),
        json!({}),
        json!("x"),
        json!([1]),
    ] {
        session.check(Call::patch(&url, "json", &patch)).await;
    }
    for patch in large() {
        session.check(Call::patch(&url, "json", &patch)).await;
    }
    for (content_type, body) in [
        ("", "{}"),
        ("application/json", "{}"),
        ("text/plain", "{}"),
        ("application/merge-patch+json", "{"),
        ("application/merge-patch+json", ""),
        ("application/merge-patch+json;charset=utf-8", "{}"),
        ("application/json-patch+json", "["),
        ("application/strategic-merge-patch+json", "{"),
    ] {
        let call = Call::new(http::Method::PATCH, &url).content_type(content_type);
        session.check(call.text(body)).await;
    }
    let label = json!({ "metadata": { "labels": { "q": "1" } } });
    for query in [
        "?dryRun=All",
        "?dryRun=Bogus",
        "?force=true",
        "?fieldManager=me",
        "?fieldValidation=Strict",
        "?fieldValidation=Bogus",
    ] {
        session
            .check(Call::patch(format!("{url}{query}"), "merge", &label))
            .await;
    }
    let unknown = json!({ "metadata": { "bogus": 1 }, "other": 1 });
    session
        .check(Call::patch(
            format!("{url}?fieldValidation=Strict"),
            "merge",
            &unknown,
        ))
        .await;
    session
        .check(Call::patch(format!("{path}/none"), "merge", &label))
        .await;
    session
        .check(Call::patch(format!("{path}/none"), "json", &json!([])))
        .await;
    let versioned =
        json!({ "metadata": { "uid": "x", "resourceVersion": "1", "labels": { "a": "b" } } });
    session
        .check(Call::patch(format!("{path}/none"), "merge", &versioned))
        .await;
}

async fn applies(session: &mut Session, path: &str) {
    // The real server changes the object.
    let mut body = of(path);
    body["metadata"]["name"] = "odd-apply".into();
    let url = format!("{path}/odd-apply");
    session.check(Call::post(path, &body)).await;
    session.check(Call::patch(&url, "apply", &body)).await;
    let url = format!("{url}?fieldManager=me");
    session.check(Call::patch(url, "apply", &body)).await;
}

async fn subresources(session: &mut Session) {
    for (path, url) in [
        (WIDGETS, format!("{WIDGETS}/sub")),
        (GADGETS, format!("{GADGETS}/sub")),
    ] {
        let mut body = if path == WIDGETS {
            widget("sub", 1)
        } else {
            gadget("sub")
        };
        body["status"] = json!({ "phase": "ignored" });
        session.check(Call::post(path, &body).keep("sub")).await;
        session.check(Call::get(format!("{url}/status"))).await;
        session.check(Call::get(format!("{url}/scale"))).await;
        let mut status = body.clone();
        status["status"] =
            json!({ "phase": "set", "replicas": 1, "selector": "app=x", "unknown": 1 });
        status["spec"]["size"] = 9.into();
        status["metadata"]["labels"] = json!({ "from": "status" });
        session
            .check(Call::put(format!("{url}/status"), &status))
            .await;
        status["metadata"]["resourceVersion"] = "$sub.rv$".into();
        session
            .check(Call::put(format!("{url}/status"), &status))
            .await;
        session.check(Call::get(format!("{url}/scale"))).await;
        for patch in [
            json!({ "status": { "phase": "two" } }),
            json!({ "status": { "phase": 5 } }),
            json!({ "spec": { "size": 8 } }),
            json!({ "metadata": { "labels": { "x": "y" } } }),
            json!({ "metadata": { "annotations": { "x": "y" } } }),
            json!({ "metadata": { "finalizers": ["example.com/x"] } }),
            json!({ "status": null }),
        ] {
            session
                .check(Call::patch(format!("{url}/status"), "merge", &patch))
                .await;
        }
        session.check(Call::get(&url)).await;
        for patch in [
            json!({ "spec": { "replicas": 3 } }),
            json!({ "spec": { "replicas": 3 } }),
            json!({ "spec": { "replicas": -1 } }),
            json!({ "spec": { "replicas": "x" } }),
            json!({ "spec": null }),
            json!({ "metadata": { "resourceVersion": "1" }, "spec": { "replicas": 4 } }),
            json!({ "status": { "replicas": 4 } }),
        ] {
            session
                .check(Call::patch(format!("{url}/scale"), "merge", &patch))
                .await;
        }
        let scale = json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "sub", "namespace": "diff" }, "spec": { "replicas": 5 },
        });
        session
            .check(Call::put(format!("{url}/scale"), &scale))
            .await;
        let mut malformed = scale.clone();
        malformed["metadata"]["name"] = "other".into();
        session
            .check(Call::put(format!("{url}/scale"), &malformed))
            .await;
        malformed["kind"] = "Bogus".into();
        session
            .check(Call::put(format!("{url}/scale"), &malformed))
            .await;
        session.check(Call::get(&url)).await;
        session.check(Call::delete(format!("{url}/status"))).await;
        session.check(Call::delete(&url)).await;
    }
}

/// Objects that enter and leave selectors, for the watches of the session.
async fn moves(session: &mut Session) {
    for (path, name) in [(MAPS, "mv"), (WIDGETS, "mv"), (GADGETS, "mv")] {
        let mut body = of(path);
        body["metadata"]["name"] = name.into();
        let url = format!("{path}/{name}");
        session.check(Call::post(path, &body)).await;
        for patch in [
            json!({ "metadata": { "labels": { "moved": "yes" } } }),
            json!({ "metadata": { "annotations": { "n": "1" } } }),
            json!({ "metadata": { "labels": { "moved": "no" } } }),
            json!({ "metadata": { "labels": { "moved": "yes" } } }),
            json!({ "metadata": { "labels": { "tier": "b" } } }),
        ] {
            session.check(Call::patch(&url, "merge", &patch)).await;
        }
        if path == WIDGETS {
            for color in ["green", "red", "green"] {
                session
                    .check(Call::patch(
                        &url,
                        "merge",
                        &json!({ "spec": { "color": color } }),
                    ))
                    .await;
            }
        }
        session.check(Call::delete(&url)).await;
    }
}
