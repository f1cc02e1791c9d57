//! Every cell of resourceVersion × resourceVersionMatch × limit × continue.

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
use crate::session::Session;

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

/// Pages are of one moment, whatever happens meanwhile.
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
