//! Schemas and scales of custom resources.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{crd, get, send, server, started};

const FOOS: &str = "/apis/example.com/v1/namespaces/default/foos";

fn definition() -> Value {
    crd(
        "Foo",
        "Namespaced",
        &json!([{
            "name": "v1", "served": true, "storage": true,
            "subresources": { "status": {}, "scale": {
                "specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size",
                "labelSelectorPath": ".status.selector",
            }},
            "schema": { "openAPIV3Schema": { "type": "object", "required": ["spec"],
                "properties": {
                    "spec": { "type": "object", "required": ["mode"], "properties": {
                        "mode": { "type": "string", "enum": ["On", "Off"] },
                        "size": { "type": "integer", "minimum": 0, "default": 1 },
                    }},
                    "status": { "type": "object", "properties": {
                        "size": { "type": "integer" }, "selector": { "type": "string" },
                    }},
                },
            }},
        }]),
    )
}

async fn foos() -> ApiServer {
    started(ApiServer::builder().object(&definition())).await
}

async fn write(server: &ApiServer, method: &str, path: &str, mut body: Value) -> (u16, Value) {
    if method == "POST" && path.starts_with(FOOS) {
        body["apiVersion"] = "example.com/v1".into();
        body["kind"] = "Foo".into();
    }
    let media_type = if method == "PATCH" {
        "application/merge-patch+json"
    } else {
        "application/json"
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", media_type)
        .body(body.to_string().into_bytes())
        .unwrap();
    send(server, request).await
}

#[tokio::test]
async fn writes_are_pruned_defaulted_and_validated() {
    let server = foos().await;
    let foo = json!({ "metadata": { "name": "a" }, "spec": { "mode": "On", "other": 1 }, "x": 1 });
    let (code, created) = write(&server, "POST", FOOS, foo).await;
    assert_eq!(
        (code, &created["spec"]),
        (201, &json!({ "mode": "On", "size": 1 }))
    );
    assert_eq!(created.get("x"), None);

    let bad = json!({ "metadata": { "name": "b" }, "spec": { "mode": "Up", "size": "x" } });
    let (code, status) = write(&server, "POST", FOOS, bad).await;
    assert_eq!((code, &status["reason"]), (422, &json!("Invalid")));
    assert_eq!(
        status["message"],
        r#"Foo.example.com "b" is invalid: [spec.mode: Unsupported value: "Up": supported values: "On", "Off", spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"]"#
    );
    assert_eq!(status["details"]["causes"][1]["field"], "spec.size");
    assert_eq!(
        status["details"]["causes"][1]["reason"],
        "FieldValueTypeInvalid"
    );
    let empty = json!({ "metadata": { "name": "b" } });
    let (_, status) = write(&server, "POST", FOOS, empty).await;
    assert_eq!(
        status["message"],
        r#"Foo.example.com "b" is invalid: spec: Required value"#
    );

    let path = format!("{FOOS}/a");
    let (code, _) = write(&server, "PATCH", &path, json!({ "spec": { "size": -1 } })).await;
    assert_eq!(code, 422);
    // The pruned patch is empty, so the version stays.
    let (_, same) = write(&server, "PATCH", &path, json!({ "spec": { "other": 2 } })).await;
    assert_eq!(
        same["metadata"]["resourceVersion"],
        created["metadata"]["resourceVersion"]
    );
    let status = json!({ "status": { "size": 1, "other": 1 } });
    let (_, patched) = write(&server, "PATCH", &format!("{path}/status"), status).await;
    assert_eq!(patched["status"], json!({ "size": 1 }));
    let invalid = json!({ "status": { "size": "x" } });
    assert_eq!(
        write(&server, "PATCH", &format!("{path}/status"), invalid)
            .await
            .0,
        422
    );
}

#[tokio::test]
async fn a_deployment_is_scaled_through_its_subresource() {
    let server = server().await;
    let deployments = "/apis/apps/v1/namespaces/default/deployments";
    let deployment = json!({ "metadata": { "name": "d" }, "spec": { "replicas": 2, "selector": {
        "matchLabels": { "a": "b" },
        "matchExpressions": [{ "key": "c", "operator": "In", "values": ["d", "e"] }],
    }}});
    let (_, created) = write(&server, "POST", deployments, deployment).await;
    let path = format!("{deployments}/d/scale");
    let (code, scale) = get(&server, &path).await;
    assert_eq!((code, &scale["kind"]), (200, &json!("Scale")));
    assert_eq!(scale["metadata"]["uid"], created["metadata"]["uid"]);
    assert_eq!(scale["spec"], json!({ "replicas": 2 }));
    assert_eq!(
        scale["status"],
        json!({ "replicas": 0, "selector": "a=b,c in (d,e)" })
    );

    let (code, scaled) = write(
        &server,
        "PATCH",
        &path,
        json!({ "spec": { "replicas": 5 } }),
    )
    .await;
    assert_eq!((code, &scaled["spec"]["replicas"]), (200, &json!(5)));
    let (_, deployment) = get(&server, &format!("{deployments}/d")).await;
    assert_eq!(deployment["spec"]["replicas"], 5);
    assert_eq!(deployment["metadata"]["generation"], 2);
    // The first document is stale.
    assert_eq!(write(&server, "PUT", &path, scale).await.0, 409);
    let (code, status) = write(
        &server,
        "PATCH",
        &path,
        json!({ "spec": { "replicas": -1 } }),
    )
    .await;
    assert_eq!(code, 422);
    assert_eq!(
        status["message"],
        r#"Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"#
    );
    let path = format!("{deployments}/d/scale?dryRun=All");
    write(
        &server,
        "PATCH",
        &path,
        json!({ "spec": { "replicas": 9 } }),
    )
    .await;
    let (_, deployment) = get(&server, &format!("{deployments}/d")).await;
    assert_eq!(deployment["spec"]["replicas"], 5);
}

#[tokio::test]
async fn a_custom_kind_is_scaled_by_the_paths_of_its_definition() {
    let server = foos().await;
    let foo = json!({ "metadata": { "name": "a" }, "spec": { "mode": "On", "size": 3 } });
    write(&server, "POST", FOOS, foo).await;
    let status = json!({ "status": { "size": 2, "selector": "x=y" } });
    write(&server, "PATCH", &format!("{FOOS}/a/status"), status).await;
    let path = format!("{FOOS}/a/scale");
    let (_, scale) = get(&server, &path).await;
    assert_eq!(scale["spec"]["replicas"], 3);
    assert_eq!(scale["status"], json!({ "replicas": 2, "selector": "x=y" }));
    write(
        &server,
        "PATCH",
        &path,
        json!({ "spec": { "replicas": 4 } }),
    )
    .await;
    let (_, foo) = get(&server, &format!("{FOOS}/a")).await;
    assert_eq!(foo["spec"]["size"], 4);
    let (_, resources) = get(&server, "/apis/example.com/v1").await;
    let names: Vec<_> = resources["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| &r["name"])
        .collect();
    assert_eq!(names, ["foos", "foos/scale", "foos/status"]);
}

#[tokio::test]
async fn subresources_are_only_read_and_changed() {
    let server = foos().await;
    let foo = json!({ "metadata": { "name": "a" }, "spec": { "mode": "On" } });
    write(&server, "POST", FOOS, foo).await;
    for part in ["status", "scale"] {
        let path = format!("{FOOS}/a/{part}");
        assert_eq!(write(&server, "DELETE", &path, json!({})).await.0, 405);
    }
    assert_eq!(get(&server, &format!("{FOOS}/a")).await.0, 200);
    assert_eq!(
        get(&server, "/api/v1/namespaces/default/scale").await.0,
        404
    );
}

#[tokio::test]
async fn dry_runs_are_checked_and_answered_but_not_stored() {
    let server = foos().await;
    let before = server.control().current_resource_version();
    let foo =
        |size: i32| json!({ "metadata": { "name": "a" }, "spec": { "mode": "On", "size": size } });
    let (code, dry) = write(&server, "POST", &format!("{FOOS}?dryRun=All"), foo(1)).await;
    assert_eq!((code, dry["metadata"].get("resourceVersion")), (201, None));
    assert!(dry["metadata"]["uid"].is_string());
    assert_eq!(
        write(&server, "POST", &format!("{FOOS}?dryRun=All"), foo(-1))
            .await
            .0,
        422
    );
    let (code, status) = write(&server, "POST", &format!("{FOOS}?dryRun=Some"), foo(1)).await;
    assert_eq!(code, 422);
    assert_eq!(
        status["message"],
        r#"CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["Some"]: supported values: "All""#
    );
    assert_eq!(server.control().current_resource_version(), before);

    let (_, created) = write(&server, "POST", FOOS, foo(1)).await;
    let path = format!("{FOOS}/a?dryRun=All");
    let (code, dry) = write(&server, "PATCH", &path, json!({ "spec": { "size": 2 } })).await;
    assert_eq!((code, &dry["spec"]["size"]), (200, &json!(2)));
    assert_eq!(
        dry["metadata"]["resourceVersion"],
        created["metadata"]["resourceVersion"]
    );
    for policy in ["Background", "Foreground", "Orphan"] {
        let options = json!({ "propagationPolicy": policy });
        assert_eq!(write(&server, "DELETE", &path, options).await.0, 200);
    }
    let options = json!({ "dryRun": ["All"] });
    assert_eq!(write(&server, "DELETE", FOOS, options).await.0, 200);
    let (_, kept) = get(&server, &format!("{FOOS}/a")).await;
    assert_eq!(kept, created);
}

/// A definition with the shape of real ones. `tests/differential` checks that the real server
/// behaves alike.
fn hosts() -> Value {
    crd(
        "Host",
        "Cluster",
        &json!([{
            "name": "v1", "served": true, "storage": true,
            "additionalPrinterColumns": [
                { "name": "Ready", "type": "string",
                  "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status" },
                { "name": "Size", "type": "integer", "jsonPath": ".spec.size" },
                { "name": "First", "type": "string", "jsonPath": ".spec.names[0]", "priority": 1 },
                { "name": "Mode", "type": "string", "jsonPath": ".spec.nested.mode" },
            ],
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "default": {}, "properties": {
                    "size": { "type": "integer", "default": 1 },
                    "names": { "type": "array", "items": { "type": "string", "pattern": "^[a-z]+$" } },
                    "address": { "type": "string", "format": "ipv4" },
                    "nested": { "type": "object", "default": {}, "properties": {
                        "mode": { "type": "string", "default": "auto" },
                        "list": { "type": "array", "items": {
                            "type": "object", "properties": { "a": { "type": "integer", "default": 2 } },
                        }},
                    }},
                }},
                "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            }}},
        }]),
    )
}

const HOSTS: &str = "/apis/example.com/v1/hosts";

fn host(name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Host", "metadata": { "name": name }, "spec": spec,
        "status": { "conditions": [{ "type": "Other", "status": "No" }, { "type": "Ready", "status": "Yes" }] },
    })
}

#[tokio::test]
async fn columns_and_defaults_match_the_real_server() {
    let server = started(ApiServer::builder().object(&hosts())).await;
    let spec = json!({ "names": ["x", "y"], "nested": { "list": [{}, { "a": 5 }] } });
    let (code, stored) = write(&server, "POST", HOSTS, host("a", &spec)).await;
    assert_eq!(code, 201, "{stored}");
    let expected = json!({
        "size": 1, "names": ["x", "y"], "nested": { "mode": "auto", "list": [{ "a": 2 }, { "a": 5 }] },
    });
    assert_eq!(stored["spec"], expected);
    let request = Request::builder()
        .uri(HOSTS)
        .header("accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
        .body(Vec::new())
        .unwrap();
    let (_, table) = send(&server, request).await;
    let names: Vec<&Value> = table["columnDefinitions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| &column["name"])
        .collect();
    assert_eq!(names, ["Name", "Ready", "Size", "First", "Mode"]);
    assert_eq!(
        table["rows"][0]["cells"],
        json!(["a", "Yes", 1, "x", "auto"])
    );
}

#[tokio::test]
async fn patterns_and_formats_are_checked_in_objects_and_in_definitions() {
    let server = started(ApiServer::builder().object(&hosts())).await;
    let invalid = json!({ "names": ["x", "1"], "address": "1.2.3" });
    let (code, status) = write(&server, "POST", HOSTS, host("a", &invalid)).await;
    assert_eq!((code, &status["reason"]), (422, &json!("Invalid")));
    assert_eq!(
        status["details"]["causes"],
        json!([
            {
                "reason": "FieldValueTypeInvalid", "field": "spec.address",
                "message": "Invalid value: \"1.2.3\": spec.address in body must be of type ipv4: \"1.2.3\"",
            },
            {
                "reason": "FieldValueInvalid", "field": "spec.names[1]",
                "message": "Invalid value: \"1\": spec.names[1] in body should match '^[a-z]+$'",
            },
        ])
    );
    let mut broken = hosts();
    broken["metadata"]["name"] = "others.example.com".into();
    broken["spec"]["names"] = json!({ "plural": "others", "kind": "Other" });
    broken["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]
        ["names"]["items"]["pattern"] = "(?=a)".into();
    let crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let (code, status) = write(&server, "POST", crds, broken).await;
    assert_eq!(code, 422);
    let cause = &status["details"]["causes"][0];
    assert_eq!(
        cause["field"],
        "spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[names].items.pattern"
    );
    let message = cause["message"].as_str().unwrap();
    let expected = "Invalid value: \"(?=a)\": must be a valid regular expression, but isn't: ";
    assert!(message.starts_with(expected), "{message}");
}
