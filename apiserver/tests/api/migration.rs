//! Migration from client-side apply to server-side apply.

use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::support::{config_maps, server};

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" }, "data": data })
}

/// Returns the config maps, one of which client-side `kubectl apply` has created.
async fn maps(server: &ApiServer) -> Api<ConfigMap> {
    let maps = config_maps(server);
    let applied = map(&json!({ "a": "1", "b": "1" }));
    let mut created = applied.clone();
    created["metadata"]["annotations"] = json!({ ANNOTATION: applied.to_string() });
    let post = PostParams {
        field_manager: Some("kubectl-client-side-apply".to_owned()),
        ..PostParams::default()
    };
    maps.create(&post, &serde_json::from_value(created).unwrap())
        .await
        .unwrap();
    maps
}

async fn apply(maps: &Api<ConfigMap>, manager: &str, data: Value) -> kube::Result<ConfigMap> {
    let by = PatchParams::apply(manager);
    maps.patch("c", &by, &Patch::Apply(map(&data))).await
}

/// Returns the message of a conflict.
fn conflict(result: kube::Result<ConfigMap>) -> String {
    match result {
        Err(kube::Error::Api(status)) if status.code == 409 => status.message,
        other => panic!("should have been a conflict: {other:?}"),
    }
}

#[tokio::test]
async fn only_kubectl_takes_over_the_fields_of_its_client_side_apply() {
    let server = server().await;
    let maps = maps(&server).await;
    let next = json!({ "a": "2", "b": "1" });
    assert_eq!(
        conflict(apply(&maps, "other", next.clone()).await),
        r#"Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a"#
    );
    let applied = apply(&maps, "kubectl", next.clone()).await.unwrap();
    assert_eq!(json!(applied.data), next);
    // The annotation contains the applied document, so that the user can return to client-side
    // apply.
    let last: Value = serde_json::from_str(&applied.annotations()[ANNOTATION]).unwrap();
    assert_eq!(last, map(&next));
    server.shutdown().await;
}

#[tokio::test]
async fn kubectl_does_not_take_over_fields_that_have_changed_since() {
    let server = server().await;
    let maps = maps(&server).await;
    let change = Patch::Merge(json!({ "data": { "b": "2" } }));
    let by = PatchParams {
        field_manager: Some("me".to_owned()),
        ..PatchParams::default()
    };
    maps.patch("c", &by, &change).await.unwrap();
    let rejected = apply(&maps, "kubectl", json!({ "a": "2", "b": "3" })).await;
    assert_eq!(
        conflict(rejected),
        r#"Apply failed with 1 conflict: conflict with "me" using v1: .data.b"#
    );
    server.shutdown().await;
}

#[tokio::test]
async fn an_annotation_that_grows_too_long_is_removed() {
    let server = server().await;
    let maps = maps(&server).await;
    let long = apply(&maps, "kubectl", json!({ "a": "x".repeat(200 * 1024) })).await;
    assert!(long.unwrap().annotations().contains_key(ANNOTATION));
    let longer = apply(&maps, "kubectl", json!({ "a": "x".repeat(256 * 1024) })).await;
    assert!(!longer.unwrap().annotations().contains_key(ANNOTATION));
    server.shutdown().await;
}
