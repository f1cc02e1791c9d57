//! OpenAPI documents, and the rejection of unknown fields.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{crd, get, send, server};

async fn write(
    server: &ApiServer,
    method: &str,
    path: &str,
    kind: &str,
    body: &Value,
) -> (u16, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("{}{path}", server.url()))
        .header("content-type", kind)
        .body(body.to_string().into_bytes())
        .unwrap();
    send(server, request).await
}

fn widgets() -> Value {
    crd(
        "Widget",
        "Namespaced",
        &json!([{ "name": "v1", "served": true, "storage": true,
            "schema": { "openAPIV3Schema": {
                "type": "object", "description": "A widget.",
                "properties": { "spec": { "type": "object", "properties": {
                    "size": { "type": "string" },
                }}},
            }},
        }]),
    )
}

#[tokio::test]
async fn the_index_links_a_document_of_each_version() {
    let server = server().await;
    let (code, index) = get(&server, "/openapi/v3").await;
    assert_eq!(code, 200);
    let paths = index["paths"].as_object().unwrap();
    assert!(paths.contains_key("api/v1") && paths.contains_key("apis/apps/v1"));
    let url = paths["api/v1"]["serverRelativeURL"].as_str().unwrap();
    let (code, document) = get(&server, url).await;
    assert_eq!((code, &document["openapi"]), (200, &json!("3.0.0")));
    let pod = &document["components"]["schemas"]["io.k8s.api.core.v1.Pod"];
    assert_eq!(pod["x-kubernetes-group-version-kind"][0]["kind"], "Pod");
    for nothing in [
        "/openapi/v3/apis/nonsense/v1",
        "/openapi/v3/api",
        "/openapi/v1",
    ] {
        assert_eq!(get(&server, nothing).await.0, 404, "{nothing}");
    }
}

/// The document of a version contains the schema of a definition while it is served; its hash
/// changes with the schema.
#[tokio::test]
async fn a_definition_has_a_document() {
    let server = server().await;
    let address = "/openapi/v3/apis/example.com/v1";
    assert_eq!(get(&server, address).await.0, 404);
    server.control().create_direct(widgets()).unwrap();
    let (_, index) = get(&server, "/openapi/v3").await;
    let (_, document) = get(&server, address).await;
    let widget = &document["components"]["schemas"]["com.example.v1.Widget"];
    assert_eq!(widget["description"], "A widget.");
    assert_eq!(widget["properties"]["kind"]["type"], "string");
    let kind = json!([{ "group": "example.com", "version": "v1", "kind": "Widget" }]);
    assert_eq!(widget["x-kubernetes-group-version-kind"], kind);
    let item = "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}";
    let patch = &document["paths"][item]["patch"];
    // Custom resources support no strategic merge patch.
    let content = patch["requestBody"]["content"].as_object().unwrap();
    assert!(!content.contains_key("application/strategic-merge-patch+json"));

    let definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
    let change = json!({ "spec": { "versions": [{ "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": { "type": "object", "description": "Another." } } }] } });
    let merge = "application/merge-patch+json";
    assert_eq!(
        write(&server, "PATCH", definition, merge, &change).await.0,
        200
    );
    let (_, later) = get(&server, "/openapi/v3").await;
    assert_ne!(
        index["paths"]["apis/example.com/v1"],
        later["paths"]["apis/example.com/v1"]
    );
    assert_eq!(
        index["paths"]["apis/apps/v1"],
        later["paths"]["apis/apps/v1"]
    );
}
