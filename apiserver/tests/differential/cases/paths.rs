//! Invalid paths and methods.

use http::Method;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, map};
use crate::session::Session;

const PATHS: &[&str] = &[
    "/",
    "/bogus",
    "/api/v2",
    "/api/v2/pods",
    "/api/v1/bogus",
    "/api/v1/namespaces/diff/bogus",
    "/api/v1/namespaces/diff/bogus/x",
    "/api/v1/configmaps/x",
    "/api/v1/pods/x",
    "/api/v1/namespaces/diff/nodes",
    "/api/v1/namespaces/diff/nodes/x",
    "/api/v1/namespaces/diff/namespaces",
    "/api/v1/namespaces/diff/configmaps/m1/status",
    "/api/v1/namespaces/diff/configmaps/m1/scale",
    "/api/v1/namespaces/diff/configmaps/m1/bogus",
    "/api/v1/namespaces/diff/configmaps/m1/a/b",
    "/api/v1/namespaces/diff/pods/x/status",
    "/api/v1/namespaces/diff/pods/x/log",
    "/api/v1/namespaces/diff/pods/x/bogus",
    "/api/v1/namespaces/none",
    "/api/v1/namespaces/none/status",
    "/api/v1/namespaces/diff/",
    "/api/v1/namespaces/diff/configmaps/",
    "/api/v1//configmaps",
    "/apis/bogus",
    "/apis/bogus/v1",
    "/apis/bogus/v1/things",
    "/apis/apps/v2",
    "/apis/apps/v2/deployments",
    "/apis/apps/v1/bogus",
    "/apis/apps/v1/namespaces/diff/deployments/none",
    "/apis/apps/v1/namespaces/diff/deployments/none/scale",
    "/apis/apps/v1/namespaces/diff/deployments/none/status",
    "/apis/example.com",
    "/apis/example.com/v2",
    "/apis/example.com/v2/widgets",
    "/apis/example.com/v1/bogus",
    "/apis/example.com/v1/widgets/w1",
    "/apis/example.com/v1/namespaces/diff/gadgets",
    "/apis/example.com/v1/namespaces/diff/gadgets/g1",
    "/apis/example.com/v1/namespaces/diff/widgets/w1/status",
    "/apis/example.com/v1/namespaces/diff/widgets/w1/scale",
    "/apis/example.com/v1/namespaces/diff/widgets/w1/bogus",
    "/apis/example.com/v1/namespaces/diff/widgets/none/status",
    "/apis/example.com/v1/namespaces/diff/widgets/none/scale",
    "/apis/example.com/v1/gadgets/g1/status",
    "/apis/example.com/v1/gadgets/g1/scale",
    "/healthz",
    "/healthz/ping",
    "/livez",
    "/readyz",
    "/readyz?verbose",
    "/api/v1/namespaces/diff/configmaps/M1",
    "/api/v1/namespaces/diff/configmaps/m%2F1",
    "/api/v1/namespaces/DIFF/configmaps",
    "/api/v1/componentstatuses",
    "/api/v1/namespaces/diff/bindings",
];

pub(super) async fn run(session: &mut Session) {
    session
        .check_all(PATHS.iter().map(|path| Call::get(*path)))
        .await;
    let mut calls = Vec::new();
    let bodies = [Some("{}"), None];
    for path in [
        "/api/v1/configmaps",
        "/api/v1/namespaces/none/configmaps",
        MAPS,
        "/api/v1/namespaces/diff/configmaps/none",
        WIDGETS,
        "/apis/example.com/v1/widgets",
        "/apis/example.com/v1/namespaces/diff/widgets/none",
        "/apis/example.com/v1/namespaces/diff/widgets/none/status",
        "/apis/example.com/v1/namespaces/diff/widgets/w1/status",
        "/apis/example.com/v1/namespaces/diff/widgets/w1/scale",
        GADGETS,
        "/apis/example.com/v1/gadgets/none",
        "/api/v1/namespaces/diff/bogus",
        "/apis/bogus/v1/things",
        "/api/v1/namespaces",
        "/api/v1/nodes",
        "/api/v1/namespaces/none",
        "/version",
        "/api",
        "/apis/apps/v1",
    ] {
        for method in ["POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "BOGUS"] {
            // A DELETE would remove the collection.
            if method == "DELETE" && path.ends_with('s') {
                continue;
            }
            for body in bodies {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                let mut call = Call::new(method, path).content_type("application/json");
                call.body = body.map(str::to_owned);
                calls.push(call);
            }
        }
    }
    session.check_all(calls).await;
    for path in ["/api/v1/configmaps", "/apis/example.com/v1/widgets"] {
        for selector in ["app%3Dnone", "app%3Dfar"] {
            let path = format!("{path}?labelSelector={selector}");
            session.check(Call::delete(path)).await;
        }
    }
    let body = map("lost", "1");
    for path in [
        "/api/v1/namespaces/none/configmaps",
        "/api/v1/configmaps",
        "/api/v1/namespaces/diff/configmaps/lost",
        "/api/v1/namespaces/diff/secrets",
        WIDGETS,
    ] {
        session.check(Call::post(path, &body)).await;
    }
}
