//! Warnings: deprecated versions and unknown fields.

use serde_json::json;

use crate::call::Call;
use crate::cases::{CRDS, MAPS, WIDGETS, definition, widget};
use crate::session::Session;

const ENDPOINTS: &str = "/api/v1/namespaces/diff/endpoints";

/// Each body has one finding, or findings in the same order on both servers.
const BODIES: &[(&str, &str)] = &[
    (
        MAPS,
        r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"twice","bogus":1}}"#,
    ),
    (
        MAPS,
        r#"{"kind":"Bogus","apiVersion":"v1","bogus":1,"metadata":{"name":"twice"}}"#,
    ),
    (
        MAPS,
        r#"{"kind":"ConfigMap","apiVersion":"v1","bogus":1,"metadata":{"name":"Not a name"}}"#,
    ),
    (
        MAPS,
        r#"{"kind":"ConfigMap","apiVersion":"v1","bogus":"\"\\ä","other\"\\ö":1,"metadata":{"name":"twice"}}"#,
    ),
    (
        WIDGETS,
        r#"{"kind":"Widget","apiVersion":"example.com/v1","metadata":{"name":"twice"},"spec":{"size":1,"any":{"x":[{"y":1}]},"bogus":{"x":1},"other":2}}"#,
    ),
    (
        WIDGETS,
        r#"{"kind":"Widget","apiVersion":"example.com/v1","bogus":1,"metadata":{"name":"twice"},"spec":{"size":-1}}"#,
    ),
    (
        "/api/v1/namespaces/diff/pods",
        r#"{"kind":"Pod","apiVersion":"v1","metadata":{"name":"twice"},"spec":{"containers":[{"name":"a","image":"x","ports":[{"containerPort":1,"bogus":1}]}]}}"#,
    ),
];

pub(super) async fn run(session: &mut Session) {
    for (path, body) in BODIES {
        for validation in [
            "",
            "&fieldValidation=Ignore",
            "&fieldValidation=Warn",
            "&fieldValidation=Strict",
        ] {
            let call = Call::new(http::Method::POST, format!("{path}?dryRun=All{validation}"));
            session
                .check(call.text(body).content_type("application/json"))
                .await;
        }
    }
    patches(session).await;
    built_in(session).await;
    custom(session).await;
}

async fn patches(session: &mut Session) {
    for (path, kind, body) in [
        (format!("{MAPS}/m1"), "merge", json!({ "bogus": 1 })),
        (
            format!("{MAPS}/m1"),
            "strategic-merge",
            json!({ "bogus": 1 }),
        ),
        (format!("{MAPS}/m1"), "merge", json!({ "bogus": null })),
        (
            format!("{MAPS}/m1"),
            "json",
            json!([{ "op": "add", "path": "/bogus", "value": 1 }]),
        ),
        (
            format!("{MAPS}/m1"),
            "merge",
            json!({ "metadata": { "bogus": 1 } }),
        ),
        (
            format!("{WIDGETS}/w1"),
            "merge",
            json!({ "spec": { "bogus": 1 } }),
        ),
        (
            format!("{WIDGETS}/w1"),
            "json",
            json!([{ "op": "add", "path": "/spec/bogus", "value": 1 }]),
        ),
        (
            format!("{WIDGETS}/w1"),
            "merge",
            json!({ "metadata": { "bogus": 1 } }),
        ),
    ] {
        for validation in ["", "&fieldValidation=Ignore", "&fieldValidation=Strict"] {
            let path = format!("{path}?dryRun=All{validation}");
            session.patch(path, kind, &body).await;
        }
    }
}

async fn built_in(session: &mut Session) {
    let body = json!({
        "apiVersion": "v1", "kind": "Endpoints", "metadata": { "name": "old" },
        "subsets": [{ "addresses": [{ "ip": "10.1.2.3" }], "ports": [{ "port": 80, "protocol": "TCP" }] }],
    });
    session
        .check(Call::post(ENDPOINTS, &body).keep("old"))
        .await;
    session.post(ENDPOINTS, &body).await;
    let object = format!("{ENDPOINTS}/old");
    let patch = json!({ "metadata": { "labels": { "a": "b" } } });
    session.patch(&object, "merge", &patch).await;
    for path in [
        ENDPOINTS,
        &object,
        "/api/v1/namespaces/diff/endpoints/none",
        "/api/v1/namespaces/diff/endpoints?watch=true&timeoutSeconds=1&resourceVersion=$old.rv$",
        "/api/v1/namespaces/diff/endpoints?limit=x",
        "/api/v1/componentstatuses",
    ] {
        session.get(path).await;
        session.check(Call::get(path).by_nobody()).await;
    }
    session.delete(&object).await;
}

/// A definition with old versions, one of which has a warning of its own.
async fn custom(session: &mut Session) {
    let mut body = definition("example.com", "Relic", "Namespaced");
    let mut version = body["spec"]["versions"][0].take();
    let mut versions = Vec::new();
    for (name, deprecated, warning) in [
        ("v1", false, None),
        ("v1beta1", true, None),
        ("v1alpha1", true, Some("use \"v1\", not this \\ one")),
    ] {
        version["name"] = name.into();
        version["storage"] = (name == "v1").into();
        if deprecated {
            version["deprecated"] = true.into();
        }
        if let Some(warning) = warning {
            version["deprecationWarning"] = warning.into();
        }
        versions.push(version.clone());
    }
    body["spec"]["versions"] = versions.into();
    session.post(CRDS, &body).await;
    for version in ["v1", "v1beta1", "v1alpha1"] {
        let path = format!("/apis/example.com/{version}/namespaces/diff/relics");
        session.await_served(&path).await;
        session.get(&path).await;
        session.get(format!("{path}/none")).await;
        session.check(Call::get(&path).by_nobody()).await;
        let mut relic = widget("r", 1);
        relic["kind"] = "Relic".into();
        relic["apiVersion"] = format!("example.com/{version}").into();
        relic["bogus"] = 1.into();
        session.post(format!("{path}?dryRun=All"), &relic).await;
    }
}
