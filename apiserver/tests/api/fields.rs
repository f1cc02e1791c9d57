//! Selectable fields.

use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{Lines, crd, get, server, started};

async fn message(server: &ApiServer, path: &str) -> String {
    let (code, status) = get(server, path).await;
    assert_eq!(
        (code, &status["reason"]),
        (400, &json!("BadRequest")),
        "{path}"
    );
    status["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn other_fields_are_rejected_in_the_words_of_the_kind() {
    let server = server().await;
    let plain = |label: &str| format!("field label not supported: {label}");
    let known = "is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
    for (path, expected) in [
        ("/api/v1/pods?fieldSelector=spec.x=1", plain("spec.x")),
        (
            "/api/v1/nodes?fieldSelector=metadata.namespace=",
            plain("metadata.namespace"),
        ),
        (
            "/api/v1/configmaps?watch=1&fieldSelector=data.x=1",
            format!("\"data.x\" {known}"),
        ),
        (
            "/apis/apps/v1/deployments?fieldSelector=a=1",
            format!("\"a\" {known}"),
        ),
    ] {
        assert_eq!(message(&server, path).await, expected);
    }
    let (code, _) = get(
        &server,
        "/api/v1/namespaces?fieldSelector=status.phase=Active",
    )
    .await;
    assert_eq!(code, 200);
}

fn shirts(scope: &str, fields: &Value) -> Value {
    crd(
        "Shirt",
        scope,
        &json!([{
            "name": "v1", "served": true, "storage": true, "selectableFields": fields,
            "schema": { "openAPIV3Schema": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            }},
        }]),
    )
}

#[tokio::test]
async fn custom_resources_are_selected_by_their_selectable_fields() {
    let fields = json!([{ "jsonPath": ".spec.color" }, { "jsonPath": ".spec.size" }]);
    let mut builder = ApiServer::builder().object(&shirts("Namespaced", &fields));
    for (name, color, size) in [("a", "blue", 1), ("b", "red", 2), ("c", "blue", 3)] {
        builder = builder.object(&json!({
            "apiVersion": "example.com/v1", "kind": "Shirt", "metadata": { "name": name },
            "spec": { "color": color, "size": size },
        }));
    }
    let server = builder.start().await.unwrap();
    let path = "/apis/example.com/v1/shirts";
    let names = async |selector: &str| -> Vec<String> {
        let (code, list) = get(&server, &format!("{path}?fieldSelector={selector}")).await;
        assert_eq!(code, 200, "{list}");
        let items = list["items"].as_array().unwrap().iter();
        let name = |item: &Value| item["metadata"]["name"].as_str().unwrap().to_owned();
        items.map(name).collect()
    };
    assert_eq!(names("spec.color=blue").await, ["a", "c"]);
    assert_eq!(names("spec.color!=blue,spec.size=2").await, ["b"]);
    assert_eq!(
        names("metadata.namespace=default,metadata.name=a").await,
        ["a"]
    );
    let unknown = format!("{path}?fieldSelector=spec.cut=1");
    assert_eq!(
        message(&server, &unknown).await,
        "field label not supported: spec.cut"
    );
    let watch = format!("{path}?watch=1&fieldSelector=spec.color=red");
    assert_eq!(Lines::open(&server, &watch).await.short().await, "ADDED b");
}

#[tokio::test]
async fn a_cluster_scoped_custom_resource_has_no_namespace_to_select_by() {
    let server = started(ApiServer::builder().object(&shirts("Cluster", &json!([])))).await;
    let path = "/apis/example.com/v1/shirts?fieldSelector=metadata.namespace=x";
    let expected = "field label not supported: metadata.namespace";
    assert_eq!(message(&server, path).await, expected);
}
