//! Every combination of resourceVersion, resourceVersionMatch, limit and continue.

use serde_json::json;

use crate::call::Call;
use crate::cases::{CRDS, GADGETS, MAPS, WIDGETS};
use crate::session::Session;

const PODS: &str = "/api/v1/namespaces/diff/pods";
const MATCHES: [&str; 5] = ["", "Exact", "NotOlderThan", "exact", "Bogus"];

pub(super) async fn run(session: &mut Session) {
    let all = [MAPS, WIDGETS, GADGETS].into_iter().flat_map(cells);
    session.check_all(all).await;
    let others = [
        "timeoutSeconds=1",
        "timeoutSeconds=x",
        "timeoutSeconds=-1",
        "pretty=true",
        "pretty=x",
        "watch=false",
        "watch=0",
        "allowWatchBookmarks=true",
        "allowWatchBookmarks=x",
        "unknown=parameter",
        "sendInitialEvents=true",
        "sendInitialEvents=false",
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=0",
        "limit=1&limit=2",
        "resourceVersion=&limit=1",
        "dryRun=All",
        "shardSelector=x",
    ];
    for path in [MAPS, WIDGETS, "/api/v1/namespaces/none/configmaps"] {
        let calls = others.map(|query| Call::get(format!("{path}?{query}")));
        session.check_all(calls).await;
    }
    walk(session).await;
    ends(session).await;
}

fn cells(path: &str) -> Vec<Call> {
    let kind = path.rsplit('/').next().unwrap_or_default();
    let now = format!("${kind}.now.rv$");
    let token = format!("${kind}.page.token$");
    let versions = ["", "0", "$m1.rv$", &now, "999999999", "abc", "-1", "01"];
    let limits = ["", "0", "2", "100", "-1", "x"];
    let tokens = ["", token.as_str(), "garbage"];
    let mut calls = Vec::new();
    for version in versions {
        for matching in MATCHES {
            for limit in limits {
                for token in tokens {
                    let pairs = [
                        ("resourceVersion", version),
                        ("resourceVersionMatch", matching),
                        ("limit", limit),
                        ("continue", token),
                    ];
                    let given = pairs.iter().filter(|(_, value)| !value.is_empty());
                    let query: Vec<_> = given.map(|(n, v)| format!("{n}={v}")).collect();
                    calls.push(Call::get(format!("{path}?{}", query.join("&"))));
                }
            }
        }
    }
    calls
}

/// All pages show one revision, despite later changes.
async fn walk(session: &mut Session) {
    for path in [MAPS, WIDGETS] {
        for (limit, query) in [
            (1, ""),
            (2, ""),
            (3, "&labelSelector=tier%3Da"),
            (2, "&resourceVersion=$m5.rv$&resourceVersionMatch=Exact"),
        ] {
            let mut call = Call::get(format!("{path}?limit={limit}{query}")).keep("walk");
            for _ in 0..6 {
                session.check(call).await;
                let selector = if query.contains("label") { query } else { "" };
                call = Call::get(format!(
                    "{path}?limit={limit}&continue=$walk.token${selector}"
                ))
                .keep("walk");
            }
        }
    }
}

/// The continuation of a full page depends on the index that the list reads, not on the selected
/// objects.
async fn ends(session: &mut Session) {
    for (name, node) in [("p", "n1"), ("q", "n2"), ("r", "n1")] {
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": { "name": name },
            "spec": { "nodeName": node, "containers": [{ "name": "main", "image": "x" }] },
        });
        session.look(Call::post(PODS, &pod)).await;
    }
    let (all, all_pods) = ("/api/v1/configmaps", "/api/v1/pods");
    // Pods differ between the servers, except for their metadata.
    let metadata = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    let get = |query: &str| Call::get(query).accept(metadata).keep("end");
    let filtered = [
        (MAPS, "labelSelector=app%3Dm1"),
        (WIDGETS, "labelSelector=app%3Dw1"),
        (MAPS, "labelSelector=app%3Dm5"),
        (all, "labelSelector=app%3Dm1"),
        (MAPS, "fieldSelector=metadata.name!%3Dm1"),
        (all, "fieldSelector=metadata.name%3Dm1"),
        (PODS, "fieldSelector=spec.nodeName%3Dn1"),
        (all_pods, "fieldSelector=spec.nodeName%3Dn1"),
        (all_pods, "fieldSelector=spec.nodeName!%3Dn1"),
        (all_pods, "fieldSelector=status.phase%3DPending"),
    ];
    for (path, selector) in filtered {
        for limit in [1, 2, 5] {
            let query = format!("{path}?limit={limit}&{selector}");
            session.check(get(&query)).await;
            let next = format!("{query}&continue=$end.token$");
            for _ in 0..2 {
                session.check(get(&next)).await;
            }
        }
    }
    let keyed = [
        (MAPS, "fieldSelector=metadata.name%3Dm1"),
        (WIDGETS, "fieldSelector=metadata.name%3Dw1"),
        (GADGETS, "fieldSelector=metadata.name%3Dg1"),
        (CRDS, "fieldSelector=metadata.name%3Dwidgets.example.com"),
        (
            all,
            "fieldSelector=metadata.name%3Dm1,metadata.namespace%3Ddiff",
        ),
        (all, "fieldSelector=metadata.namespace%3Ddiff"),
        (all_pods, "fieldSelector=spec.nodeName%3Dn2"),
    ];
    for (path, selector) in keyed.into_iter().chain(filtered) {
        for version in ["", "&resourceVersion=0", "&resourceVersion=$end.rv$"] {
            let query = format!("{path}?limit=1&{selector}{version}");
            session.check(get(&query)).await;
        }
    }
    let of_one = format!("{all}?limit=2&fieldSelector=metadata.namespace%3Ddiff");
    session.check(get(&of_one)).await;
    let next = format!("{of_one}&continue=$end.token$");
    session.check(get(&next)).await;
    for name in ["p", "q", "r"] {
        let call = Call::delete(format!("{PODS}/{name}?gracePeriodSeconds=0"));
        session.look(call).await;
    }
}
