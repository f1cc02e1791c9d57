//! Special rules of single kinds.

use http::{Method, Request};
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{send, server};

const DEFAULT: &str = "/apis/coordination.k8s.io/v1/namespaces/default/leases";

async fn write(server: &ApiServer, method: Method, path: &str, body: &Value) -> (u16, Value) {
    let content_type = match method {
        Method::PATCH => "application/merge-patch+json",
        _ => "application/json",
    };
    let request = Request::builder().method(method).uri(path);
    let request = request.header("content-type", content_type);
    let request = request.body(body.to_string().into_bytes()).unwrap();
    send(server, request).await
}

fn lease(holder: &str) -> Value {
    json!({ "metadata": { "name": "a" }, "spec": { "holderIdentity": holder } })
}

#[tokio::test]
async fn a_lease_is_created_by_an_update_and_a_config_map_is_not() {
    let server = server().await;
    let path = &format!("{DEFAULT}/a");
    let (code, created) = write(&server, Method::PUT, path, &lease("me")).await;
    assert_eq!(code, 201);
    assert_eq!(created["spec"]["holderIdentity"], "me");
    let map = "/api/v1/namespaces/default/configmaps/a";
    let body = json!({ "metadata": { "name": "a" } });
    assert_eq!(write(&server, Method::PUT, map, &body).await.0, 404);
    // A patch does not create a lease.
    let other = &format!("{DEFAULT}/b");
    assert_eq!(
        write(&server, Method::PATCH, other, &json!({})).await.0,
        404
    );
    server.shutdown().await;
}

#[tokio::test]
async fn an_update_of_a_lease_needs_a_version() {
    let server = server().await;
    let path = &format!("{DEFAULT}/a");
    let (_, created) = write(&server, Method::POST, DEFAULT, &lease("me")).await;
    let (code, rejected) = write(&server, Method::PUT, path, &lease("you")).await;
    assert_eq!(code, 422);
    assert_eq!(
        rejected["message"],
        r#"leases.coordination.k8s.io "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update"#
    );
    let mut next = lease("you");
    next["metadata"]["resourceVersion"] = created["metadata"]["resourceVersion"].clone();
    assert_eq!(write(&server, Method::PUT, path, &next).await.0, 200);
    // An update of a config map needs no version.
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = json!({ "metadata": { "name": "a" } });
    assert_eq!(write(&server, Method::POST, maps, &map).await.0, 201);
    let path = format!("{maps}/a");
    assert_eq!(write(&server, Method::PUT, &path, &map).await.0, 200);
    server.shutdown().await;
}

#[tokio::test]
async fn generations_are_counted_where_the_real_server_counts_them() {
    let server = server().await;
    let (_, lease) = write(&server, Method::POST, DEFAULT, &lease("me")).await;
    assert_eq!(lease["metadata"]["generation"], json!(null));
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = json!({ "metadata": { "name": "a" }, "spec": { "replicas": 1 } });
    let (_, created) = write(&server, Method::POST, deployments, &deployment).await;
    assert_eq!(created["metadata"]["generation"], 1);
    let path = format!("{deployments}/a");
    let change = json!({ "spec": { "replicas": 2 } });
    let (_, changed) = write(&server, Method::PATCH, &path, &change).await;
    assert_eq!(changed["metadata"]["generation"], 2);
    server.shutdown().await;
}
