//! Garbage collection by owner references.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{Lines, get, send, server};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Creates a config map with `owners`; the prefix `!` sets `blockOwnerDeletion`.
async fn create(server: &ApiServer, name: &str, owners: &[&str]) {
    let mut references = Vec::new();
    for owner in owners {
        let plain = owner.trim_start_matches('!');
        let (_, found) = get(server, &format!("{MAPS}/{plain}")).await;
        references.push(json!({
            "apiVersion": "v1", "kind": "ConfigMap", "name": plain,
            "uid": found["metadata"]["uid"].as_str().unwrap_or("nobody"),
            "blockOwnerDeletion": owner.starts_with('!'),
        }));
    }
    let object = json!({ "metadata": { "name": name, "ownerReferences": references } });
    let request = Request::post(MAPS).body(object.to_string().into()).unwrap();
    assert_eq!(send(server, request).await.0, 201);
}

async fn delete(server: &ApiServer, name: &str, options: Value) -> (u16, Value) {
    let request = Request::delete(format!("{MAPS}/{name}"));
    send(server, request.body(options.to_string().into()).unwrap()).await
}

fn policy(policy: &str) -> Value {
    json!({ "propagationPolicy": policy })
}

fn names(server: &ApiServer) -> Vec<String> {
    let objects = server.control().objects("configmaps");
    let name = |object: &Value| object["metadata"]["name"].as_str().unwrap().to_owned();
    objects.iter().map(name).collect()
}

#[tokio::test]
async fn dependents_go_after_their_owner_in_the_background() {
    let server = server().await;
    create(&server, "a", &[]).await;
    create(&server, "b", &["a"]).await;
    create(&server, "c", &["b"]).await;
    create(&server, "other", &[]).await;
    let version = server.control().current_resource_version();
    let (code, status) = delete(&server, "a", json!({})).await;
    assert_eq!((code, &status["status"]), (200, &json!("Success")));
    assert_eq!(names(&server), ["other"]);
    let path = format!("{MAPS}?watch=1&resourceVersion={version}");
    let mut watch = Lines::open(&server, &path).await;
    assert_eq!(
        watch.shorts(3).await,
        ["DELETED a", "DELETED b", "DELETED c"]
    );
}

#[tokio::test]
async fn in_the_foreground_an_owner_waits_for_the_dependents_that_block() {
    let server = server().await;
    create(&server, "a", &[]).await;
    create(&server, "b", &["!a"]).await;
    create(&server, "c", &["!b"]).await;
    let version = server.control().current_resource_version();
    let (code, object) = delete(&server, "a", policy("Foreground")).await;
    assert_eq!((code, &object["kind"]), (200, &json!("ConfigMap")));
    assert_eq!(
        object["metadata"]["finalizers"],
        json!(["foregroundDeletion"])
    );
    assert!(names(&server).is_empty());
    let path = format!("{MAPS}?watch=1&resourceVersion={version}");
    let mut watch = Lines::open(&server, &path).await;
    let expected = [
        "MODIFIED a",
        "MODIFIED b",
        "DELETED c",
        "DELETED b",
        "DELETED a",
    ];
    assert_eq!(watch.shorts(5).await, expected);
}

#[tokio::test]
async fn a_finalizer_of_a_blocking_dependent_holds_the_owner() {
    let server = server().await;
    create(&server, "a", &[]).await;
    create(&server, "b", &["!a"]).await;
    let patch = |finalizers: Value| {
        Request::patch(format!("{MAPS}/b"))
            .header("content-type", "application/merge-patch+json")
            .body(
                json!({ "metadata": { "finalizers": finalizers } })
                    .to_string()
                    .into(),
            )
            .unwrap()
    };
    assert_eq!(send(&server, patch(json!(["x/y"]))).await.0, 200);
    delete(&server, "a", policy("Foreground")).await;
    assert_eq!(names(&server), ["a", "b"]);
    assert_eq!(send(&server, patch(Value::Null)).await.0, 200);
    assert!(names(&server).is_empty());
}

#[tokio::test]
async fn orphans_stay_without_their_owner_reference() {
    let server = server().await;
    for options in [policy("Orphan"), json!({ "orphanDependents": true })] {
        create(&server, "a", &[]).await;
        create(&server, "b", &["a"]).await;
        delete(&server, "a", options).await;
        assert_eq!(names(&server), ["b"]);
        let (_, orphan) = get(&server, &format!("{MAPS}/b")).await;
        assert_eq!(orphan["metadata"].get("ownerReferences"), None);
        delete(&server, "b", Value::Null).await;
    }
}

#[tokio::test]
async fn a_dependent_stays_while_one_owner_exists() {
    let server = server().await;
    create(&server, "a", &[]).await;
    create(&server, "b", &[]).await;
    create(&server, "c", &["a", "b"]).await;
    delete(&server, "a", json!({})).await;
    let (_, kept) = get(&server, &format!("{MAPS}/c")).await;
    assert_eq!(
        kept["metadata"]["ownerReferences"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    delete(&server, "b", json!({})).await;
    assert!(names(&server).is_empty());
}

#[tokio::test]
async fn a_cycle_of_owners_is_collected() {
    let server = server().await;
    create(&server, "a", &[]).await;
    create(&server, "b", &["!a"]).await;
    let (_, b) = get(&server, &format!("{MAPS}/b")).await;
    let reference = json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "name": "b", "uid": b["metadata"]["uid"],
        "blockOwnerDeletion": true,
    }]);
    let patch = Request::patch(format!("{MAPS}/a"))
        .header("content-type", "application/merge-patch+json")
        .body(
            json!({ "metadata": { "ownerReferences": reference } })
                .to_string()
                .into(),
        )
        .unwrap();
    assert_eq!(send(&server, patch).await.0, 200);
    delete(&server, "a", policy("Foreground")).await;
    assert!(names(&server).is_empty());
}

#[tokio::test]
async fn objects_with_a_missing_owner_are_collected_unless_a_test_created_them() {
    let server = server().await;
    create(&server, "lost", &["nowhere"]).await;
    assert!(names(&server).is_empty());
    let put = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "put", "ownerReferences": [
            { "apiVersion": "v1", "kind": "ConfigMap", "name": "nowhere", "uid": "nobody" },
        ]},
    });
    server.control().create_direct(put).unwrap();
    assert_eq!(names(&server), ["put"]);
}

#[tokio::test]
async fn jobs_orphan_their_dependents_by_default() {
    let server = server().await;
    let jobs = "/apis/batch/v1/namespaces/default/jobs";
    let job = json!({ "metadata": { "name": "j" }, "spec": {} });
    let request = Request::post(jobs).body(job.to_string().into()).unwrap();
    let (_, job) = send(&server, request).await;
    let pod = json!({ "metadata": { "name": "p", "ownerReferences": [
        { "apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": job["metadata"]["uid"] },
    ]}});
    let pods = "/api/v1/namespaces/default/pods";
    let request = Request::post(pods).body(pod.to_string().into()).unwrap();
    assert_eq!(send(&server, request).await.0, 201);
    let request = Request::delete(format!("{jobs}/j"))
        .body(Vec::new())
        .unwrap();
    assert_eq!(send(&server, request).await.0, 200);
    assert!(server.control().objects("jobs").is_empty());
    assert_eq!(get(&server, &format!("{pods}/p")).await.0, 200);
}

#[tokio::test]
async fn the_collector_can_be_held_and_stepped() {
    let server = server().await;
    let control = server.control();
    create(&server, "a", &[]).await;
    create(&server, "b", &["a"]).await;
    create(&server, "c", &["a"]).await;
    control.hold_garbage_collection(true);
    // Processes the entries of the earlier creations, which change nothing.
    assert!(!control.step_garbage_collection());
    delete(&server, "a", json!({})).await;
    assert_eq!(names(&server), ["b", "c"]);
    assert!(control.step_garbage_collection());
    assert_eq!(names(&server), ["c"]);
    control.hold_garbage_collection(false);
    assert!(names(&server).is_empty());
}

#[tokio::test]
async fn an_unknown_propagation_policy_is_rejected() {
    let server = server().await;
    create(&server, "a", &[]).await;
    let (code, status) = delete(&server, "a", policy("Sideways")).await;
    assert_eq!(code, 422, "{status}");
    let both = json!({ "propagationPolicy": "Orphan", "orphanDependents": true });
    assert_eq!(delete(&server, "a", both).await.0, 422);
    assert_eq!(names(&server), ["a"]);
}
