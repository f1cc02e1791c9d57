//! Features that clients in Go need and clients in Rust do not. The differential test covers the
//! rest.

use serde_json::{Value, json};

use crate::protobuf::{JSON, get, post};
use crate::support::{Lines, server};

/// A program in the cluster finds the server by the Service `kubernetes`.
#[tokio::test]
async fn the_service_kubernetes_has_the_address_of_the_server() {
    let server = server().await;
    let client = server.client().unwrap();
    let (ip, port) = (server.address().ip().to_string(), server.address().port());
    let base = "/api/v1/namespaces/default";
    let service = get(&client, &format!("{base}/services/kubernetes"), JSON).await;
    let service = service.value();
    assert_eq!(service["spec"]["ports"][0]["port"], 443);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], port);
    let endpoints = get(&client, &format!("{base}/endpoints/kubernetes"), JSON).await;
    let subset = &endpoints.value()["subsets"][0];
    assert_eq!(subset["addresses"][0]["ip"], ip.as_str());
    assert_eq!(subset["ports"][0]["port"], port);
    let slices = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes";
    let slice = get(&client, slices, JSON).await.value();
    assert_eq!(slice["endpoints"][0]["addresses"][0], ip.as_str());
    assert_eq!(slice["ports"][0]["port"], port);
}

/// Watches of both groups receive each event in the form of their group, whichever group wrote it.
/// Field selectors use the names of the group.
#[tokio::test]
async fn watches_see_events_in_the_form_of_their_group() {
    let server = server().await;
    let client = server.client().unwrap();
    let own = "/apis/events.k8s.io/v1/namespaces/default/events";
    let core = "/api/v1/namespaces/default/events";
    let of_p = format!("{own}?watch=true&fieldSelector=regarding.name%3Dp");
    let mut in_own = Lines::open(&server, &of_p).await;
    let of_p = format!("{core}?watch=true&fieldSelector=involvedObject.name%3Dp");
    let mut in_core = Lines::open(&server, &of_p).await;
    let by_core = |name: &str, about: &str| {
        json!({
            "metadata": { "name": name }, "message": "tried",
            "involvedObject": { "kind": "Pod", "name": about },
        })
    };
    let by_own = json!({
        "metadata": { "name": "c" }, "note": "tried again",
        "regarding": { "kind": "Pod", "name": "p" },
    });
    for (path, event) in [
        (core, by_core("a", "q")),
        (core, by_core("b", "p")),
        (own, by_own),
    ] {
        let created = post(&client, path, JSON, event.to_string().into_bytes()).await;
        assert_eq!(created.code, 201);
    }
    for (name, text) in [("b", "tried"), ("c", "tried again")] {
        let (_, event) = in_own.next().await.unwrap();
        assert_eq!(event["apiVersion"], "events.k8s.io/v1");
        assert_eq!(
            (&event["metadata"]["name"], &event["note"]),
            (&json!(name), &json!(text))
        );
        assert_eq!(
            (&event["regarding"]["name"], &event["message"]),
            (&json!("p"), &Value::Null)
        );
        let (_, event) = in_core.next().await.unwrap();
        assert_eq!(event["apiVersion"], "v1");
        assert_eq!(
            (&event["metadata"]["name"], &event["message"]),
            (&json!(name), &json!(text))
        );
        assert_eq!(
            (&event["involvedObject"]["name"], &event["note"]),
            (&json!("p"), &Value::Null)
        );
    }
}
