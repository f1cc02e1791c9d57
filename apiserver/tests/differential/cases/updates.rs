//! Updates and patches.

use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, gadget, map, rows, widget};
use crate::session::Session;

const TABLES: &str = include_str!("updates.yaml");

pub(super) async fn run(session: &mut Session) {
    for path in [MAPS, WIDGETS, GADGETS] {
        let body = of(path);
        session.check(Call::post(path, &body).keep("u")).await;
        untyped(session, path).await;
        puts(session, path).await;
        patches(session, path).await;
        applies(session, path).await;
        session.delete(url_of(path)).await;
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
    for (pointer, value) in rows::<(String, Value)>(TABLES, "puts") {
        for version in [None, Some("$u.rv$")] {
            let mut body = changed("1");
            if let Some(version) = version {
                body["metadata"]["resourceVersion"] = version.into();
            }
            body["metadata"][&pointer] = value.clone();
            session.put(format!("{url}?dryRun=All"), &body).await;
        }
    }
    let mut body = changed("2");
    body["metadata"]["resourceVersion"] = "$u.rv$".into();
    session.check(Call::put(&url, &body).keep("u2")).await;
    // The version is stale.
    session
        .check(Call::put(&url, &changed("3")).keep("u3"))
        .await;
    session.put(&url, &body).await;
    for query in [
        "?dryRun=All&fieldValidation=Strict",
        "?dryRun=Bogus",
        "?fieldValidation=Bogus",
    ] {
        let mut body = changed("4");
        body["metadata"]["resourceVersion"] = "$u2.rv$".into();
        session.put(format!("{url}{query}"), &body).await;
    }
    session.check(Call::get(&url).keep("u")).await;
    session.put(format!("{path}/new"), &of(path)).await;
    let mut new = of(path);
    new["metadata"]["name"] = "new".into();
    session.put(format!("{path}/new"), &new).await;
    new["metadata"]["resourceVersion"] = "1".into();
    session.put(format!("{path}/new"), &new).await;
    new["metadata"]["uid"] = "x".into();
    session.put(format!("{path}/new"), &new).await;
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
    let merges = rows::<Value>(TABLES, "merges");
    for patch in &merges {
        for kind in ["merge", "strategic-merge"] {
            session.patch(&url, kind, patch).await;
        }
    }
    for patch in rows::<Value>(TABLES, "patches") {
        session.patch(&url, "json", &patch).await;
    }
    for patch in large() {
        session.patch(&url, "json", &patch).await;
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
            .patch(format!("{url}{query}"), "merge", &label)
            .await;
    }
    let unknown = json!({ "metadata": { "bogus": 1 }, "other": 1 });
    session
        .patch(format!("{url}?fieldValidation=Strict"), "merge", &unknown)
        .await;
    session.patch(format!("{path}/none"), "merge", &label).await;
    session
        .patch(format!("{path}/none"), "json", &json!([]))
        .await;
    let versioned =
        json!({ "metadata": { "uid": "x", "resourceVersion": "1", "labels": { "a": "b" } } });
    session
        .patch(format!("{path}/none"), "merge", &versioned)
        .await;
}

async fn applies(session: &mut Session, path: &str) {
    // The real server changes the object.
    let mut body = of(path);
    body["metadata"]["name"] = "odd-apply".into();
    let url = format!("{path}/odd-apply");
    session.post(path, &body).await;
    session.patch(&url, "apply", &body).await;
    let url = format!("{url}?fieldManager=me");
    session.patch(url, "apply", &body).await;
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
        session.get(format!("{url}/status")).await;
        session.get(format!("{url}/scale")).await;
        let mut status = body.clone();
        status["status"] =
            json!({ "phase": "set", "replicas": 1, "selector": "app=x", "unknown": 1 });
        status["spec"]["size"] = 9.into();
        status["metadata"]["labels"] = json!({ "from": "status" });
        session.put(format!("{url}/status"), &status).await;
        status["metadata"]["resourceVersion"] = "$sub.rv$".into();
        session.put(format!("{url}/status"), &status).await;
        session.get(format!("{url}/scale")).await;
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
                .patch(format!("{url}/status"), "merge", &patch)
                .await;
        }
        session.get(&url).await;
        for patch in [
            json!({ "spec": { "replicas": 3 } }),
            json!({ "spec": { "replicas": 3 } }),
            json!({ "spec": { "replicas": -1 } }),
            json!({ "spec": { "replicas": "x" } }),
            json!({ "spec": null }),
            json!({ "metadata": { "resourceVersion": "1" }, "spec": { "replicas": 4 } }),
            json!({ "status": { "replicas": 4 } }),
        ] {
            session.patch(format!("{url}/scale"), "merge", &patch).await;
        }
        let scale = json!({
            "apiVersion": "autoscaling/v1", "kind": "Scale",
            "metadata": { "name": "sub", "namespace": "diff" }, "spec": { "replicas": 5 },
        });
        session.put(format!("{url}/scale"), &scale).await;
        let mut malformed = scale.clone();
        malformed["metadata"]["name"] = "other".into();
        session.put(format!("{url}/scale"), &malformed).await;
        malformed["kind"] = "Bogus".into();
        session.put(format!("{url}/scale"), &malformed).await;
        session.get(&url).await;
        session.delete(format!("{url}/status")).await;
        session.delete(&url).await;
    }
}

/// Objects that enter and leave selectors, for the watches of the session.
async fn moves(session: &mut Session) {
    for (path, name) in [(MAPS, "mv"), (WIDGETS, "mv"), (GADGETS, "mv")] {
        let mut body = of(path);
        body["metadata"]["name"] = name.into();
        let url = format!("{path}/{name}");
        session.post(path, &body).await;
        for patch in [
            json!({ "metadata": { "labels": { "moved": "yes" } } }),
            json!({ "metadata": { "annotations": { "n": "1" } } }),
            json!({ "metadata": { "labels": { "moved": "no" } } }),
            json!({ "metadata": { "labels": { "moved": "yes" } } }),
            json!({ "metadata": { "labels": { "tier": "b" } } }),
        ] {
            session.patch(&url, "merge", &patch).await;
        }
        if path == WIDGETS {
            for color in ["green", "red", "green"] {
                session
                    .patch(&url, "merge", &json!({ "spec": { "color": color } }))
                    .await;
            }
        }
        session.delete(&url).await;
    }
}
