//! A user without rights.

use http::Method;

use crate::call::Call;
use crate::cases::{GADGETS, MAPS, WIDGETS};
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
}
