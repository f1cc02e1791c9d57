//! Invalid paths and methods.

use http::Method;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS, map};
use crate::session::Session;

const PATHS: &str = include_str!("paths.txt");

pub(super) async fn run(session: &mut Session) {
    session.check_all(PATHS.lines().map(Call::get)).await;
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
            session.delete(path).await;
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
        session.post(path, &body).await;
    }
}
