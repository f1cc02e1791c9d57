//! `Warning` headers: for deprecated versions and for unknown fields.

use http::Request;
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::support::{crd, server, soon, started};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

/// Returns the code of the response and its warnings.
async fn warned(server: &ApiServer, method: &str, path: &str, body: &str) -> (u16, Vec<String>) {
    let media_type = match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", media_type)
        .body(body.as_bytes().to_owned().into())
        .unwrap();
    let response = soon(server.client().unwrap().send(request)).await.unwrap();
    let values = response.headers().get_all("warning").iter();
    let warnings = values.map(|value| value.to_str().unwrap().to_owned());
    (response.status().as_u16(), warnings.collect())
}

fn unknown(path: &str) -> String {
    format!(r#"299 - "unknown field \"{path}\"""#)
}

/// Covers the default of `fieldValidation`, which is `Warn` as in the real server.
#[tokio::test]
async fn a_write_with_unknown_fields_has_warnings() {
    let server = server().await;
    let body = r#"{"metadata":{"name":"a","bogus":1},"data":{"k":"1"},"other":{}}"#;
    let expected = vec![unknown("metadata.bogus"), unknown("other")];
    let dry = format!("{MAPS}?dryRun=All");
    for path in [
        dry.clone(),
        format!("{dry}&fieldValidation=Warn"),
        MAPS.to_owned(),
    ] {
        assert_eq!(
            warned(&server, "POST", &path, body).await,
            (201, expected.clone())
        );
    }
    // The warnings also accompany an error.
    assert_eq!(warned(&server, "POST", MAPS, body).await, (409, expected));

    let ignored = format!("{dry}&fieldValidation=Ignore");
    let renamed = body.replace(r#""a""#, r#""b""#);
    assert_eq!(
        warned(&server, "POST", &ignored, &renamed).await,
        (201, vec![])
    );
    let strict = format!("{dry}&fieldValidation=Strict");
    assert_eq!(
        warned(&server, "POST", &strict, &renamed).await,
        (400, vec![])
    );

    let one = format!("{MAPS}/a");
    let patch = r#"{"bogus":1,"data":{"k":"3"}}"#;
    assert_eq!(
        warned(&server, "PATCH", &one, patch).await,
        (200, vec![unknown("bogus")])
    );
    let patch = r#"{"data":{"k":"4"}}"#;
    assert_eq!(warned(&server, "PATCH", &one, patch).await, (200, vec![]));
}

/// The fields with a warning are those that the schema prunes.
#[tokio::test]
async fn a_pruned_field_of_a_custom_resource_has_a_warning() {
    let definition = |schema: &Value| {
        crd(
            "Foo",
            "Cluster",
            &json!([{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }]),
        )
    };
    // Schema of the spec, the spec, the stored spec, and the path in the warning.
    let cases = [
        [r#""type": "object""#, r#"{ "a": 1 }"#, "{}", "spec.a"],
        [
            r#""type": "object", "x-kubernetes-preserve-unknown-fields": true"#,
            r#"{ "a": 1 }"#,
            r#"{ "a": 1 }"#,
            "",
        ],
        [
            r#""additionalProperties": { "type": "object" }"#,
            r#"{ "a": { "b": 1 } }"#,
            r#"{ "a": {} }"#,
            "spec.a.b",
        ],
        [
            r#""additionalProperties": true"#,
            r#"{ "a": 1 }"#,
            r#"{ "a": 1 }"#,
            "",
        ],
        [
            r#""additionalProperties": false"#,
            r#"{ "a": 1 }"#,
            "{}",
            "spec.a",
        ],
        [
            r#""type": "array", "items": { "type": "object" }"#,
            r#"[{}, { "a": 1 }]"#,
            "[{}, {}]",
            "spec[1].a",
        ],
        [
            r#""type": "object", "x-kubernetes-embedded-resource": true"#,
            r#"{ "kind": "A", "apiVersion": "v1", "a": 1 }"#,
            r#"{ "kind": "A", "apiVersion": "v1" }"#,
            "spec.a",
        ],
    ];
    let whole =
        |spec: &str| format!(r#"{{ "type": "object", "properties": {{ "spec": {{ {spec} }} }} }}"#);
    let mut cases = Vec::from(cases.map(|[schema, rest @ ..]| (whole(schema), rest)));
    cases.push((
        r#"{ "type": "object" }"#.to_owned(),
        [r#"{ "a": 1 }"#, "null", "spec"],
    ));
    for (schema, [spec, kept, path]) in cases {
        let parsed = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let expected: Vec<String> = [path]
            .into_iter()
            .filter(|path| !path.is_empty())
            .map(unknown)
            .collect();
        let server = started(ApiServer::builder().object(&definition(&parsed(&schema)))).await;
        let foo = json!({ "apiVersion": "example.com/v1", "kind": "Foo", "metadata": { "name": "a" }, "spec": parsed(spec) });
        let path = "/apis/example.com/v1/foos";
        let answer = warned(&server, "POST", path, &foo.to_string()).await;
        assert_eq!(answer, (201, expected), "{schema}");
        let stored = server.control().objects("foos").remove(0);
        assert_eq!(
            stored.get("spec").unwrap_or(&Value::Null),
            &parsed(kept),
            "{schema}"
        );
    }
}

#[tokio::test]
async fn every_request_to_a_deprecated_version_has_a_warning() {
    let server = server().await;
    let expected =
        "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice\"";
    let endpoints = "/api/v1/namespaces/default/endpoints";
    let none = format!("{endpoints}/none");
    for (path, code) in [(endpoints, 200), (none.as_str(), 404)] {
        let answer = warned(&server, "GET", path, "").await;
        assert_eq!(answer, (code, vec![expected.to_owned()]), "{path}");
    }
    assert_eq!(warned(&server, "GET", MAPS, "").await, (200, vec![]));

    let schema = json!({ "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } });
    let version = |name: &str, deprecated: bool, warning: Value| {
        json!({
            "name": name, "served": true, "storage": name == "v1", "schema": schema,
            "deprecated": deprecated, "deprecationWarning": warning,
        })
    };
    let definition = crd(
        "Foo",
        "Cluster",
        &json!([
            version("v1", false, Value::Null),
            version("v1beta1", true, Value::Null),
            version("v1alpha1", true, "long gone".into()),
        ]),
    );
    server.control().create_direct(definition).unwrap();
    for (version, expected) in [
        ("v1", None),
        ("v1beta1", Some("example.com/v1beta1 Foo is deprecated")),
        ("v1alpha1", Some("long gone")),
    ] {
        let path = format!("/apis/example.com/{version}/foos");
        let (code, warnings) = warned(&server, "GET", &path, "").await;
        assert_eq!(code, 200);
        let expected: Vec<String> = expected
            .map(|text| format!("299 - \"{text}\""))
            .into_iter()
            .collect();
        assert_eq!(warnings, expected, "{version}");
    }
}
