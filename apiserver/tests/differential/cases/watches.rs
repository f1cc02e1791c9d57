//! Watches: every combination of options, and watches of the whole session.

use serde_json::json;
use tokio::task::JoinSet;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
use crate::session::{Session, Watched};

/// Watches of the whole session.
const STREAMS: [&str; 8] = [
    "/api/v1/namespaces/diff/configmaps?watch=true",
    "/api/v1/configmaps?watch=true&labelSelector=tier%3Da",
    "/api/v1/namespaces/diff/configmaps?watch=true&labelSelector=moved%3Dyes",
    "/api/v1/namespaces/diff/secrets?watch=true",
    "/apis/example.com/v1/namespaces/diff/widgets?watch=true",
    "/apis/example.com/v1/widgets?watch=true&fieldSelector=spec.color%3Dgreen",
    "/apis/example.com/v1/gadgets?watch=true&labelSelector=moved%3Dyes",
    "/api/v1/namespaces?watch=true&labelSelector=moved",
];

pub(super) fn open(session: &Session) -> JoinSet<Watched> {
    session.watch(&STREAMS)
}

pub(super) async fn close(session: &mut Session, watched: JoinSet<Watched>) {
    let labels = json!({ "tier": "a", "moved": "yes" });
    for (path, api, kind) in [
        ("/api/v1/namespaces", "v1", "Namespace"),
        (MAPS, "v1", "ConfigMap"),
        (WIDGETS, "example.com/v1", "Widget"),
        (GADGETS, "example.com/v1", "Gadget"),
        ("/api/v1/namespaces/diff/secrets", "v1", "Secret"),
    ] {
        let mut body = json!({
            "apiVersion": api, "kind": kind,
            "metadata": { "name": "zz-last", "labels": labels },
        });
        if api != "v1" {
            body["spec"] = json!({ "size": 1, "color": "green" });
        }
        session.post(path, &body).await;
    }
    session.compare_watched(watched).await;
}

pub(super) async fn run(session: &mut Session) {
    let mut calls = Vec::new();
    let versions = ["", "0", "$m1.rv$", "$m5.rv$", "999999999", "abc", "-1"];
    for path in [MAPS, WIDGETS, GADGETS] {
        for version in versions {
            for matching in ["", "NotOlderThan", "Exact", "Bogus"] {
                for initial in ["", "true", "false", "x"] {
                    for bookmarks in ["", "true"] {
                        let pairs = [
                            ("resourceVersion", version),
                            ("resourceVersionMatch", matching),
                            ("sendInitialEvents", initial),
                            ("allowWatchBookmarks", bookmarks),
                        ];
                        let given = pairs.iter().filter(|(_, value)| !value.is_empty());
                        let query: Vec<_> = given.map(|(n, v)| format!("&{n}={v}")).collect();
                        let query = query.concat();
                        calls.push(Call::get(format!(
                            "{path}?watch=true&timeoutSeconds=2{query}"
                        )));
                    }
                }
            }
        }
    }
    for query in [
        "/m1?watch=true&timeoutSeconds=1",
        "/m1?watch=true&timeoutSeconds=1&resourceVersion=$m1.rv$",
        "/none?watch=true&timeoutSeconds=1",
        "/m1?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dm2",
        "?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dm2",
        "?watch=True&timeoutSeconds=1&labelSelector=app%3Dm2",
        "?watch&timeoutSeconds=1&labelSelector=app%3Dm2",
        "?watch=x&timeoutSeconds=1&labelSelector=app%3Dm2",
        "?watch=true&timeoutSeconds=1&limit=1",
        "?watch=true&timeoutSeconds=1&continue=x",
        "?watch=true&timeoutSeconds=x",
        "?watch=true&timeoutSeconds=1&resourceVersion=1",
        "?watch=true&timeoutSeconds=1&labelSelector=a%3D%3D%3Db",
    ] {
        calls.push(Call::get(format!("{MAPS}{query}")));
    }
    for path in [
        "/api/v1/watch/namespaces/diff/configmaps?timeoutSeconds=1",
        "/api/v1/watch/configmaps?timeoutSeconds=1&labelSelector=app%3Dm2",
        "/api/v1/watch/namespaces/diff/configmaps/m1?timeoutSeconds=1",
    ] {
        calls.push(Call::get(path));
    }
    session.check_all(calls).await;
}
