//! OpenAPI documents, and the rejection of unknown fields.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use http::{HeaderMap, Request, header};
use informer_apiserver::ApiServer;
use kube::client::Body;
use serde_json::{Value, json};

use crate::assets::require::need;
use crate::support::{get, send, server, soon};

/// The name by which client-go asks for version 2 in protobuf.
pub(crate) const OPEN_API_PROTOBUF: &str =
    "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

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
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com", "scope": "Namespaced",
            "names": { "plural": "widgets", "kind": "Widget" },
            "versions": [{ "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": {
                    "type": "object", "description": "A widget.",
                    "properties": { "spec": { "type": "object", "properties": {
                        "size": { "type": "string" },
                    }}},
                }},
            }],
        },
    })
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
    assert_eq!(patch["operationId"], "patchExampleComV1NamespacedWidget");
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

#[tokio::test]
async fn strict_validation_rejects_unknown_fields_of_built_in_kinds() {
    let server = server().await;
    let json = "application/json";
    let maps = "/api/v1/namespaces/default/pods";
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "a" },
        "spec": { "containers": [{ "name": "x", "image": "y", "imagine": 1 }], "nodeSelector": { "any": "thing" } },
        "colour": "red",
    });
    let strict = format!("{maps}?fieldValidation=Strict");
    let (code, rejected) = write(&server, "POST", &strict, json, &pod).await;
    assert_eq!(code, 400);
    assert_eq!(
        rejected["message"],
        r#"Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "colour", unknown field "spec.containers[0].imagine""#
    );
    // Without strict validation, the unknown field is accepted.
    assert_eq!(write(&server, "POST", maps, json, &pod).await.0, 201);

    // A patch is not rejected for an unknown field that is stored already.
    let path = format!("{maps}/a?fieldValidation=Strict");
    let merge = "application/merge-patch+json";
    let label = json!({ "metadata": { "labels": { "a": "b" } } });
    assert_eq!(write(&server, "PATCH", &path, merge, &label).await.0, 200);
    let fine = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "b" }, "spec": { "containers": [] } });
    assert_eq!(write(&server, "POST", &strict, json, &fine).await.0, 201);
    let path = format!("{maps}/b?fieldValidation=Strict");
    let bad = json!({ "spec": { "hostname": "x", "hostnime": "y" } });
    let (code, rejected) = write(&server, "PATCH", &path, merge, &bad).await;
    assert_eq!((code, &rejected["reason"]), (422, &json!("Invalid")));
    let message = rejected["message"].as_str().unwrap();
    assert!(message.ends_with(r#"strict decoding error: unknown field "spec.hostnime""#));
}

#[tokio::test]
async fn version_2_is_one_document_and_has_custom_kinds() {
    let server = ApiServer::builder()
        .object(&widgets())
        .start()
        .await
        .unwrap();
    let (code, document) = get(&server, "/openapi/v2").await;
    assert_eq!((code, &document["swagger"]), (200, &json!("2.0")));
    let metadata = "/definitions/io.k8s.api.core.v1.ConfigMap/properties/metadata/$ref";
    assert_eq!(
        document.pointer(metadata),
        Some(&json!(
            "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
        ))
    );
    let create = &document["paths"]["/api/v1/namespaces/{namespace}/configmaps"]["post"];
    let body = create["parameters"].as_array().unwrap().last().unwrap();
    assert_eq!(
        body["schema"]["$ref"],
        "#/definitions/io.k8s.api.core.v1.ConfigMap"
    );
    assert_eq!(create["responses"]["200"]["schema"], body["schema"]);

    let widget = &document["definitions"]["com.example.v1.Widget"];
    assert_eq!(widget["properties"]["spec"]["type"], "object");
}

/// Sends `GET /openapi/v2`, and returns status, headers and body of the answer.
async fn version_2(server: &ApiServer, headers: &[(&str, &str)]) -> (u16, HeaderMap, Vec<u8>) {
    let mut request = Request::get("/openapi/v2");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = soon(server.client().unwrap().send(request)).await.unwrap();
    let (parts, body) = response.into_parts();
    let body = soon(body.collect_bytes()).await.unwrap();
    (parts.status.as_u16(), parts.headers, body.to_vec())
}

#[tokio::test]
async fn version_2_in_protobuf_has_the_headers_of_the_json() {
    let server = server().await;
    let (_, json, _) = version_2(&server, &[("accept", "application/json")]).await;
    let (code, protobuf, body) = version_2(&server, &[("accept", OPEN_API_PROTOBUF)]).await;
    assert_eq!(code, 200);
    assert_eq!(
        protobuf[header::CONTENT_TYPE],
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
    );
    assert_eq!(json[header::CONTENT_TYPE], "application/json");
    for same in [header::VARY, header::ETAG] {
        assert_eq!(json[&same], protobuf[&same]);
    }
    assert_eq!(json[header::VARY], "Accept");

    let tag = json[header::ETAG].to_str().unwrap();
    for accept in ["application/json", OPEN_API_PROTOBUF] {
        let known = [("accept", accept), ("if-none-match", tag)];
        let (code, headers, body) = version_2(&server, &known).await;
        assert_eq!(
            (code, &headers[header::ETAG], body.len()),
            (304, &json[header::ETAG], 0)
        );
    }
    server.control().create_direct(widgets()).unwrap();
    let stale = [("accept", OPEN_API_PROTOBUF), ("if-none-match", tag)];
    assert_eq!(version_2(&server, &stale).await.0, 200);

    let packed = [("accept", OPEN_API_PROTOBUF), ("accept-encoding", "gzip")];
    let server = self::server().await;
    let (_, headers, packed) = version_2(&server, &packed).await;
    assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
    let vary: Vec<_> = headers.get_all(header::VARY).iter().collect();
    assert_eq!(vary, ["Accept", "Accept-Encoding"]);
    let mut plain = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut plain)
        .unwrap();
    assert_eq!(plain, body);
}

/// Uses what gnostic has rules of its own for: lists of types, constants, zeros, flags beside
/// schemas, extensions, and properties that are named like extensions.
fn odd() -> Value {
    let mut definition = widgets();
    definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = json!({
        "x-name": { "type": "string", "x-kubernetes-validations": [{ "rule": "self != '\t\"é😀'" }] },
        "open": { "type": "object", "additionalProperties": true },
        "closed": { "type": "object", "additionalProperties": false },
        "map": { "type": "object", "additionalProperties": { "type": "integer", "format": "int64" } },
        "number": { "type": "number", "minimum": -1.5, "maximum": 0, "exclusiveMaximum": true, "multipleOf": 0.1 },
        "text": { "type": "string", "minLength": 0, "maxLength": 300, "pattern": "^a", "enum": ["", "a", "b: c"] },
        "list": {
            "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true,
            "x-kubernetes-list-map-keys": ["a", "b"], "x-kubernetes-list-type": "map",
        },
        "either": { "x-kubernetes-int-or-string": true, "oneOf": [{ "type": "integer" }] },
        "shown": { "type": "object", "title": "", "example": { "a": [null, 1, true] },
            "externalDocs": { "url": "https://example.com" }, "required": ["a"] },
    });
    definition
}

#[tokio::test]
async fn version_2_in_protobuf_is_the_document_that_gnostic_makes_of_the_json() {
    let server = ApiServer::builder().object(&odd()).start().await.unwrap();
    let (_, _, mut input) = version_2(&server, &[("accept", "application/json")]).await;
    let (_, _, protobuf) = version_2(&server, &[("accept", OPEN_API_PROTOBUF)]).await;
    input.push(b'\n');
    input.extend(protobuf);
    let go = Command::new("go")
        .args(["run", ".", "compare"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/gnostic"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let go = go.map_err(|error| format!("there is no go: {error}"));
    let Some(mut go) = need("go", go) else {
        return;
    };
    go.stdin.take().unwrap().write_all(&input).unwrap();
    let output = go.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
}
