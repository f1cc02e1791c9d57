//! Discovery, as far as both servers serve the same.

use crate::call::Call;
use crate::session::Session;

pub(super) async fn run(session: &mut Session) {
    let aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    let old = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList";
    let bogus = "application/json;g=apidiscovery.k8s.io;v=v3;as=APIGroupDiscoveryList";
    for path in [
        "/api",
        "/apis/apps",
        "/apis/example.com",
        "/apis/example.com/v1",
        "/apis/coordination.k8s.io",
        "/apis/node.k8s.io/v1",
        "/apis/scheduling.k8s.io",
        "/apis/apiextensions.k8s.io/v1",
        "/apis/batch/v1",
        "/apis/apps/v1",
        "/api/v1",
    ] {
        for accept in ["application/json", "*/*", aggregated] {
            session.check(Call::get(path).accept(accept)).await;
        }
    }
    for path in ["/api", "/apis"] {
        for accept in [bogus, "text/plain", old] {
            session.check(Call::get(path).accept(accept)).await;
        }
    }
    // The served groups differ; their form must not.
    session.get("/apis").await;
    session.check(Call::get("/apis").accept(aggregated)).await;
    session.get("/version").await;
    session.get("/openapi/v3").await;
}
