//! Patterns, formats, defaults and printer columns of a definition with the shape of real ones.

use serde::Deserialize;
use serde_json::{Value, json};

use super::CRDS;
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
    session.check(Call::post(CRDS, &definition())).await;
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
    for spec in [
        json!({ "port": "x" }),
        json!({ "port": "1" }),
        json!({ "port": 7 }),
        json!({ "names": ["a", "1"] }),
        json!({ "labels": { "a": "1" } }),
        json!({ "either": "ab" }),
        json!({ "either": "b" }),
        json!({ "either": "c" }),
        json!({ "choice": {} }),
        json!({ "choice": { "a": 1, "b": 1 } }),
        json!({ "choice": { "c": 1 } }),
        json!({ "several": {} }),
        json!({ "every": "x" }),
        json!({ "every": "ax" }),
        json!({ "every": "" }),
        json!({ "typed": "x" }),
        json!({ "typed": "a" }),
        json!({ "typed": -1 }),
        json!({ "not": "a" }),
        json!({ "short": "toolong1" }),
        json!({ "f0": null }),
        json!({ "any": "1.2.3.4" }),
        json!({ "any": 1 }),
    ] {
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
        session.check(Call::post(HOSTS, &object)).await;
    }
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    session.check(Call::get(HOSTS).accept(table)).await;
    session.check(Call::get(HOSTS)).await;
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
    let mut properties = json!({
        "port": {
            "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "pattern": "^[0-9]+$",
        },
        "names": { "type": "array", "items": { "type": "string", "pattern": "^[a-z]$" } },
        "labels": { "type": "object", "additionalProperties": { "type": "string", "pattern": "^[a-z]$" } },
        "either": { "type": "string", "oneOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
        "choice": {
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" }, "c": { "type": "integer" } },
            "oneOf": [{ "required": ["a"] }, { "required": ["b"] }],
        },
        "several": {
            "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "anyOf": [{ "required": ["a"] }, { "required": ["b"] }],
        },
        "every": { "type": "string", "allOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
        "typed": {
            "x-kubernetes-int-or-string": true,
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "allOf": [{ "anyOf": [{ "minimum": 0 }, { "pattern": "^a" }] }],
        },
        "not": { "type": "string", "not": { "pattern": "^a" } },
        "short": { "type": "string", "maxLength": 5, "pattern": "^[a-z]+$", "format": "ipv4" },
        "any": { "format": "cidr", "x-kubernetes-preserve-unknown-fields": true },
        "size": { "type": "integer", "format": "int32", "default": 1 },
        "ratio": { "type": "number" },
        "on": { "type": "boolean", "default": false },
        "nested": {
            "type": "object", "default": {},
            "properties": {
                "mode": { "type": "string", "default": "auto", "enum": ["auto", "off"] },
                "list": { "type": "array", "items": {
                    "type": "object", "properties": { "a": { "type": "integer", "default": 2 } },
                }},
                "map": { "type": "object", "additionalProperties": { "type": "string" }, "default": { "k": "v" } },
            },
        },
    });
    let Checked { formats, patterns } = checked();
    for (index, (format, _)) in formats.iter().enumerate() {
        properties[format!("f{index}")] = json!({ "type": "string", "format": format });
    }
    for (index, (pattern, _)) in patterns.iter().enumerate() {
        properties[format!("p{index}")] = json!({ "type": "string", "pattern": pattern });
    }
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "hosts.schemas.example.com" },
        "spec": {
            "group": "schemas.example.com", "scope": "Namespaced",
            "names": { "plural": "hosts", "singular": "host", "kind": "Host" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "additionalPrinterColumns": [
                    { "name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status" },
                    { "name": "Reason", "type": "string", "priority": 1, "description": "Why.",
                      "jsonPath": ".status.conditions[?(@.type=='Ready')].reason" },
                    { "name": "Size", "type": "integer", "format": "int32", "jsonPath": ".spec.size" },
                    { "name": "Ratio", "type": "number", "jsonPath": ".spec.ratio" },
                    { "name": "On", "type": "boolean", "jsonPath": ".spec.on" },
                    { "name": "Names", "type": "string", "jsonPath": ".spec.names" },
                    { "name": "First", "type": "string", "jsonPath": ".spec.names[0]" },
                    { "name": "All", "type": "string", "jsonPath": ".spec.names[*]" },
                    { "name": "Mode", "type": "string", "jsonPath": ".spec.nested.mode" },
                    { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
                ],
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": { "type": "object", "properties": properties },
                        "status": { "type": "object", "properties": { "conditions": {
                            "type": "array", "items": { "type": "object", "properties": {
                                "type": { "type": "string" }, "status": { "type": "string" },
                                "reason": { "type": "string" },
                            }},
                        }}},
                    },
                } },
            }],
        },
    })
}
