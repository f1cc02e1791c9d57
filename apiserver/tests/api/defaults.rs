//! Defaults of built-in kinds, in every encoding and kind of write.

use http::Request;
use serde_json::{Value, json};

use crate::support::{get, send, server};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";

fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": name },
        "spec": {
            "selector": { "matchLabels": { "app": "a" } },
            "template": {
                "metadata": { "labels": { "app": "a" } },
                "spec": { "containers": [{ "name": "a", "image": "a:1", "resources": {} }] },
            },
        },
    })
}

fn post(path: &str, content_type: &str, body: Vec<u8>) -> Request<Vec<u8>> {
    let request = Request::post(path).header("content-type", content_type);
    request.body(body).unwrap()
}

#[tokio::test]
async fn json_protobuf_and_patches_get_the_same_defaults() {
    let server = server().await;
    let json = post(
        DEPLOYMENTS,
        "application/json",
        deployment("json").to_string().into(),
    );
    let (code, json) = send(&server, json).await;
    assert_eq!((code, &json["spec"]["replicas"]), (201, &json!(1)));
    assert_eq!(json["spec"]["strategy"]["rollingUpdate"]["maxSurge"], "25%");
    let container = &json["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["imagePullPolicy"], "IfNotPresent");

    let body = informer_protobuf::to_vec(&deployment("protobuf")).unwrap();
    let protobuf = post(DEPLOYMENTS, informer_protobuf::MEDIA_TYPE, body);
    let (code, protobuf) = send(&server, protobuf).await;
    assert_eq!((code, &protobuf["spec"]), (201, &json["spec"]));

    // A field that a patch removes is defaulted again.
    let path = format!("{DEPLOYMENTS}/json");
    let without = json!({ "spec": { "replicas": null, "strategy": null } });
    let request = Request::patch(&path).header("content-type", "application/merge-patch+json");
    let request = request.body(without.to_string().into()).unwrap();
    let (code, patched) = send(&server, request).await;
    assert_eq!((code, &patched["spec"]), (200, &json["spec"]));
    assert_eq!(get(&server, &path).await.1["metadata"]["generation"], 1);
}
