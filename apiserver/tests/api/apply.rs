//! Server-side apply, as controllers use it.

use http::Request;
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams};
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::support::{
    config_map, config_maps, crd, created, error_of, patched, send, server, started,
};

fn map(data: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "c" }, "data": data })
}

fn by(manager: &str) -> PatchParams {
    PatchParams::apply(manager)
}

async fn apply(maps: &Api<ConfigMap>, manager: &str, data: Value) -> kube::Result<ConfigMap> {
    maps.patch("c", &by(manager), &Patch::Apply(map(&data)))
        .await
}

/// Returns the managers of an object, each as `name operation subresource`, with their fields.
/// Sorted by name, because the server sorts by seconds.
fn owners(object: &impl ResourceExt) -> Vec<(String, Value)> {
    let entries = object.managed_fields().iter();
    let mut owners: Vec<_> = entries
        .map(|entry| {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            let parts = [&entry.manager, &entry.operation, &entry.subresource].map(text);
            let fields = entry.fields_v1.as_ref().map(|fields| fields.0.clone());
            (parts.join(" ").trim_end().to_owned(), fields.unwrap())
        })
        .collect();
    owners.sort_by(|a, b| a.0.cmp(&b.0));
    owners
}

#[tokio::test]
async fn managed_fields_are_kept_from_the_first_apply_or_always_on_request() {
    let server = server().await;
    let maps = config_maps(&server);
    let plain = created(&maps, &config_map("c")).await;
    assert!(plain.managed_fields().is_empty());
    let patch = Patch::Merge(json!({ "data": { "a": "1" } }));
    let first = patched(&maps, "c", &patch).await;
    assert!(first.managed_fields().is_empty());
    let rejected = apply(&maps, "one", json!({ "a": "2" })).await;
    let Err(kube::Error::Api(status)) = rejected else {
        panic!("should have been a conflict")
    };
    assert_eq!(
        status.message,
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using v1: .data.a"
    );
    server.shutdown().await;

    let server = started(ApiServer::builder().managed_fields(true)).await;
    let maps = config_maps(&server);
    let followed = created(&maps, &config_map("c")).await;
    let first = patched(&maps, "c", &patch).await;
    assert!(
        followed.managed_fields().is_empty(),
        "a name alone is nobody's"
    );
    assert!(
        first.managed_fields().is_empty(),
        "nor are its managed fields kept later"
    );
    let mut labelled = config_map("l");
    labelled.labels_mut().insert("a".to_owned(), "b".to_owned());
    let followed = created(&maps, &labelled).await;
    assert_eq!(owners(&followed).len(), 1);
    server.shutdown().await;
}

/// A document or its managed fields that would be too deep to be decoded again is rejected.
#[tokio::test]
async fn managers_in_a_document_are_kept() {
    let entry = json!({
        "manager": "given", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1",
        "fieldsV1": { "f:data": { "f:a": {} } }, "time": "2020-01-01T00:00:00Z",
    });
    let mut object = map(&json!({ "a": "1" }));
    object["metadata"]["managedFields"] = json!([entry]);
    let server = started(ApiServer::builder().object(&object)).await;
    let maps = config_maps(&server);
    let found = maps.get("c").await.unwrap();
    assert_eq!(
        serde_json::to_value(found.managed_fields()).unwrap(),
        json!([entry])
    );
    let rejected = apply(&maps, "one", json!({ "a": "2" })).await;
    assert_eq!(error_of(rejected), (409, "Conflict".to_owned()));
    // An empty entry clears the managers, as in the real server.
    let forget = Patch::Merge(json!({ "metadata": { "managedFields": [{}] } }));
    let found = patched(&maps, "c", &forget).await;
    assert!(found.managed_fields().is_empty());
    server.shutdown().await;
}

#[tokio::test]
async fn documents_that_are_nested_too_deeply_are_rejected() {
    let server = server().await;
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!({ "x": inner }));
    let apply = |path: &str, text: String| {
        let request = Request::patch(format!("{path}?fieldManager=me"));
        let request = request.header("content-type", "application/apply-patch+yaml");
        request.body(text.into_bytes()).unwrap()
    };
    let open = crd(
        "Open",
        "Cluster",
        &json!([{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            } } }]),
    );
    server.control().create_direct(open).unwrap();
    let path = "/apis/example.com/v1/opens/o";
    for levels in [100, 119, 124, 300] {
        let body = json!({ "apiVersion": "example.com/v1", "kind": "Open", "metadata": { "name": "o" }, "spec": nested(levels) });
        let (code, answer) = send(&server, apply(path, body.to_string())).await;
        assert_eq!(
            code,
            if levels == 100 { 201 } else { 400 },
            "{levels}: {answer}"
        );
        let (_, found) = crate::support::get(&server, path).await;
        assert_eq!(found["metadata"]["name"], "o");
    }
    server.shutdown().await;
}
