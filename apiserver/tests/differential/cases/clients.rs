//! Requests that programs in Go send and clients in Rust do not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::call::Call;
use crate::cases::{MAPS, WIDGETS, map, widget};
use crate::session::Session;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/diff/leases";
const SECRETS: &str = "/api/v1/namespaces/diff/secrets";

pub(super) async fn run(session: &mut Session) {
    delete_options(session).await;
    secrets(session).await;
    first_objects(session).await;
    events(session).await;
}

fn lease(name: &str) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": name },
    })
}

/// client-go sends options in the group of the deleted object.
async fn delete_options(session: &mut Session) {
    for (path, api_version, object) in [
        (MAPS, "v1", map("del", "1")),
        (LEASES, "coordination.k8s.io/v1", lease("del")),
        (WIDGETS, "example.com/v1", widget("del", 1)),
    ] {
        session.post(path, &object).await;
        for api_version in ["v1", "meta.k8s.io/v1", api_version] {
            let options = json!({
                "apiVersion": api_version, "kind": "DeleteOptions",
                "preconditions": { "uid": "another" },
            });
            let call = Call::delete(format!("{path}/del"));
            session.check(call.clone().json(&options)).await;
            session.check(call.protobuf(&options)).await;
        }
        let options = json!({
            "apiVersion": api_version, "kind": "DeleteOptions", "propagationPolicy": "Background",
        });
        let call = Call::delete(format!("{path}/del")).protobuf(&options);
        session.check(call).await;
    }
}

/// `stringData` is write-only.
async fn secrets(session: &mut Session) {
    let secret = |more: Value| {
        let mut secret = json!({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": { "name": "s" },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            secret[name] = value.clone();
        }
        secret
    };
    let encoded = |text: &str| Value::from(STANDARD.encode(text));
    let first = secret(json!({
        "data": { "a": encoded("1"), "b": encoded("2") }, "stringData": { "b": "3", "c": "4" },
    }));
    session.post(SECRETS, &first).await;
    let url = format!("{SECRETS}/s");
    session.get(&url).await;
    let second = secret(json!({ "stringData": { "d": "5" } }));
    session.put(&url, &second).await;
    let patch = json!({ "stringData": { "e": "\u{e9}", "d": "6" } });
    session.patch(&url, "merge", &patch).await;
    session.patch(&url, "strategic-merge", &patch).await;
    let query = "?fieldValidation=Strict&dryRun=All";
    session
        .patch(format!("{url}{query}"), "merge", &patch)
        .await;
    for malformed in [
        json!({ "f": 5 }),
        json!({ "f": null }),
        json!("x"),
        json!({}),
    ] {
        let object = secret(json!({ "stringData": malformed }));
        session.put(&url, &object).await;
    }
    session.delete(&url).await;
}

/// Initial objects; each server has its own addresses.
async fn first_objects(session: &mut Session) {
    for path in [
        "/api/v1/namespaces/default/services/kubernetes",
        "/api/v1/namespaces/default/endpoints/kubernetes",
        "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes",
    ] {
        let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
        session.check(Call::get(path).accept(metadata)).await;
    }
}

/// One store with two forms.
async fn events(session: &mut Session) {
    const CORE: &str = "/api/v1/namespaces/diff/events";
    const OWN: &str = "/apis/events.k8s.io/v1/namespaces/diff/events";
    let about = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "name": "m0", "namespace": "diff", "uid": "1-2",
    });
    let core = json!({
        "apiVersion": "v1", "kind": "Event", "metadata": { "name": "core" },
        "involvedObject": about, "reason": "Tried", "message": "it was tried",
        "source": { "component": "tester", "host": "h" },
        "firstTimestamp": "2026-01-01T00:00:00Z", "lastTimestamp": "2026-01-01T00:00:01Z",
        "count": 2, "type": "Normal", "eventTime": null,
        "reportingComponent": "", "reportingInstance": "",
    });
    let own = json!({
        "apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": { "name": "own" },
        "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "example.com/tester",
        "reportingInstance": "one", "action": "Try", "reason": "Tried", "regarding": about,
        "note": "it was tried", "type": "Warning",
        "deprecatedSource": {}, "deprecatedFirstTimestamp": null, "deprecatedLastTimestamp": null,
    });
    session.post(CORE, &core).await;
    session.post(OWN, &own).await;
    for name in ["core", "own"] {
        for path in [CORE, OWN] {
            session.get(format!("{path}/{name}")).await;
            let call = Call::get(format!("{path}/{name}"));
            let metadata = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
            session.check(call.accept(metadata)).await;
        }
    }
    for path in [CORE, OWN] {
        session.get(path).await;
        for field in [
            "involvedObject.name=m0",
            "involvedObject.name=m1",
            "regarding.name=m0",
            "regarding.name=m1",
            "reason=Tried",
            "type=Warning",
            "reportingComponent=example.com/tester",
            "reportingController=example.com/tester",
        ] {
            session.get(format!("{path}?fieldSelector={field}")).await;
        }
    }
    let series = json!({
        "series": { "count": 2, "lastObservedTime": "2026-01-01T00:00:02.000000Z" },
    });
    session.patch(format!("{OWN}/own"), "merge", &series).await;
    session.get(format!("{CORE}/own")).await;
    let message = json!({ "message": "again", "count": 3 });
    session
        .patch(format!("{CORE}/core"), "strategic-merge", &message)
        .await;
    session.get(format!("{OWN}/core")).await;
    session.delete(format!("{OWN}/core")).await;
    session.get(format!("{CORE}/core")).await;
    session.delete(format!("{CORE}/own")).await;
}
