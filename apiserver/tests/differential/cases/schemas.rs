//! Patterns, formats, defaults and printer columns of a definition with the shape of real ones.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{CRDS, rows, yaml};
use crate::call::Call;
use crate::session::Session;

const HOSTS: &str = "/apis/schemas.example.com/v1/namespaces/diff/hosts";

/// Each format and each pattern, with valid and invalid strings.
#[derive(Deserialize)]
struct Checked {
    formats: Vec<(String, Vec<String>)>,
    patterns: Vec<(String, Vec<String>)>,
}

fn checked() -> Checked {
    serde_json::from_str(include_str!("schemas.json")).unwrap()
}

pub(super) async fn run(session: &mut Session) {
    session.post(CRDS, &definition()).await;
    session.await_served(HOSTS).await;
    let Checked { formats, patterns } = checked();
    for (index, (_, texts)) in formats.iter().enumerate() {
        for text in texts {
            dry(session, json!({ format!("f{index}"): text })).await;
        }
    }
    for (index, (_, texts)) in patterns.iter().enumerate() {
        for text in texts {
            dry(session, json!({ format!("p{index}"): text })).await;
        }
    }
    for spec in rows::<Value>(include_str!("schemas.yaml"), "specs") {
        dry(session, spec).await;
    }
    for pattern in ["(", "[a", "(?=a)", "*"] {
        let mut definition = definition();
        definition["metadata"]["name"] = "others.schemas.example.com".into();
        definition["spec"]["names"] =
            json!({ "plural": "others", "singular": "other", "kind": "Other" });
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"] =
            json!({ "x": { "type": "string", "pattern": pattern } });
        let call = Call::post(format!("{CRDS}?dryRun=All"), &definition);
        session.check(call).await;
    }
    let status = json!({ "conditions": [
        { "type": "Other", "status": "False" }, { "type": "Ready", "status": "True", "reason": "Fine" },
    ]});
    let mut whole = host(
        "whole",
        &json!({ "size": 3, "ratio": 1.5, "on": true, "names": ["a", "b"] }),
    );
    whole["status"] = status;
    for object in [
        host("empty", &json!({})),
        whole,
        host("nested", &json!({ "nested": { "list": [{}, { "a": 5 }] } })),
    ] {
        session.post(HOSTS, &object).await;
    }
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    session.check(Call::get(HOSTS).accept(table)).await;
    session.get(HOSTS).await;
}

async fn dry(session: &mut Session, spec: Value) {
    let call = Call::post(format!("{HOSTS}?dryRun=All"), &host("a", &spec));
    session.check(call).await;
}

fn host(name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "schemas.example.com/v1", "kind": "Host",
        "metadata": { "name": name }, "spec": spec,
    })
}

fn definition() -> Value {
    let mut definition = yaml(include_str!("hosts.yaml"));
    let schema = &mut definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let properties = &mut schema["properties"]["spec"]["properties"];
    let Checked { formats, patterns } = checked();
    for (index, (format, _)) in formats.iter().enumerate() {
        properties[format!("f{index}")] = json!({ "type": "string", "format": format });
    }
    for (index, (pattern, _)) in patterns.iter().enumerate() {
        properties[format!("p{index}")] = json!({ "type": "string", "pattern": pattern });
    }
    definition
}
