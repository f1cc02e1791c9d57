//! Features that clients in Go need and clients in Rust do not. The differential test covers the
//! rest.

use informer_protobuf::{Message, encode_members, wrap};
use serde_json::{Value, json};

use crate::protobuf::{JSON, PROTOBUF, get, post, send};
use crate::support::{Lines, server};

/// client-go sends the options of a delete in the group of the deleted object.
#[tokio::test]
async fn options_in_protobuf_may_be_of_any_group() {
    let server = server().await;
    let client = server.client().unwrap();
    let leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    let lease = json!({ "metadata": { "name": "a" } });
    let created = post(&client, leases, JSON, lease.to_string().into_bytes()).await;
    assert_eq!(created.code, 201);
    let delete = |uid: &str| {
        let members = json!({ "preconditions": { "uid": uid } });
        let options = Message::of("v1", "DeleteOptions").unwrap();
        let message = encode_members(options, members.as_object().unwrap()).unwrap();
        let body = wrap("coordination.k8s.io/v1", "DeleteOptions", &message);
        let request = http::Request::delete(format!("{leases}/a"));
        request.header("content-type", PROTOBUF).body(body).unwrap()
    };
    let rejected = send(&client, delete("another")).await;
    assert_eq!(rejected.code, 409, "{:?}", rejected.body);
    let uid = created.value()["metadata"]["uid"].clone();
    let deleted = send(&client, delete(uid.as_str().unwrap())).await;
    assert_eq!(deleted.code, 200);
}

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

/// Events that a recorder writes in `events.k8s.io` are visible in core/v1, and vice versa, in both
/// encodings.
#[tokio::test]
async fn events_are_one_store_in_two_forms() {
    let server = server().await;
    let client = server.client().unwrap();
    let own = "/apis/events.k8s.io/v1/namespaces/default/events";
    let core = "/api/v1/namespaces/default/events";
    let event = json!({
        "metadata": { "name": "a" }, "note": "tried", "reason": "Tried",
        "regarding": { "kind": "Pod", "name": "p" }, "reportingController": "c",
    });
    let created = post(&client, own, JSON, event.to_string().into_bytes()).await;
    assert_eq!(
        (created.code, &created.value()["note"]),
        (201, &json!("tried"))
    );
    let texts = |event: &Value, names: [&str; 3]| {
        let kind = &event[names[1]]["name"];
        [&event[names[0]], kind, &event[names[2]]].map(|v| v.as_str().map(str::to_owned))
    };
    let expected = ["tried", "p", "c"].map(|text| Some(text.to_owned()));
    for accept in [JSON, PROTOBUF] {
        let shown = get(&client, &format!("{core}/a"), accept).await.value();
        let names = ["message", "involvedObject", "reportingComponent"];
        assert_eq!(texts(&shown, names), expected, "{accept}");
        let list = get(
            &client,
            &format!("{own}?fieldSelector=regarding.name=p"),
            accept,
        )
        .await;
        let names = ["note", "regarding", "reportingController"];
        assert_eq!(
            texts(&list.value()["items"][0], names),
            expected,
            "{accept}"
        );
        let others = format!("{core}?fieldSelector=involvedObject.name=q");
        let none = get(&client, &others, accept).await.value();
        let items = none["items"].as_array().map_or(0, Vec::len);
        assert_eq!(items, 0, "{accept}");
    }
    let table = "application/json;as=Table;g=meta.k8s.io;v=v1";
    let table = get(&client, &format!("{own}?includeObject=Object"), table).await;
    assert_eq!(table.value()["rows"][0]["object"]["note"], "tried");
    let events = server.control().objects("events");
    assert_eq!(events[0]["message"], "tried");
    assert_eq!(
        server.control().objects("events.events.k8s.io")[0]["note"],
        "tried"
    );
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

/// Watchers of Secrets receive `data` only, even if a client wrote `stringData`.
#[tokio::test]
async fn watches_see_string_data_as_data() {
    let server = server().await;
    let client = server.client().unwrap();
    let base = "/api/v1/namespaces/default/secrets";
    let mut watch = Lines::open(&server, &format!("{base}?watch=true")).await;
    let secret = json!({ "metadata": { "name": "a" }, "stringData": { "k": "1" } });
    post(&client, base, JSON, secret.to_string().into_bytes()).await;
    let patch = json!({ "stringData": { "k": "2" } }).to_string();
    let request = http::Request::patch(format!("{base}/a"))
        .header("content-type", "application/merge-patch+json")
        .body(patch.into_bytes())
        .unwrap();
    assert_eq!(send(&client, request).await.code, 200);
    for (kind, encoded) in [("ADDED", "MQ=="), ("MODIFIED", "Mg==")] {
        let (found, secret) = watch.next().await.unwrap();
        assert_eq!(
            (found.as_str(), &secret["data"]),
            (kind, &json!({ "k": encoded }))
        );
        assert_eq!(secret.get("stringData"), None);
    }
}

/// The string fields of client-go's `version.Info`.
#[tokio::test]
async fn the_version_has_the_fields_that_clients_print() {
    let server = server().await;
    let version = get(&server.client().unwrap(), "/version", JSON)
        .await
        .value();
    for field in [
        "major",
        "minor",
        "emulationMajor",
        "emulationMinor",
        "minCompatibilityMajor",
        "minCompatibilityMinor",
        "gitVersion",
        "gitCommit",
        "gitTreeState",
        "buildDate",
        "goVersion",
        "compiler",
        "platform",
    ] {
        assert!(version[field].is_string(), "{field} of {version}");
    }
}
