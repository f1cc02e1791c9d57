//! The compared requests.

#![expect(
    clippy::too_many_lines,
    reason = "the functions are tables of requests"
)]

mod apply;
mod clients;
mod defaults;
mod discovery;
mod forms;
mod lists;
mod migration;
mod objects;
mod paths;
mod rights;
mod schemas;
mod selectors;
mod updates;
mod warnings;
mod watches;
mod writes;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::Session;

/// Collections of the built-in and custom objects of the session.
const MAPS: &str = "/api/v1/namespaces/diff/configmaps";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/diff/widgets";
const GADGETS: &str = "/apis/example.com/v1/gadgets";
const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

pub(crate) async fn run(session: &mut Session) {
    prepare(session).await;
    let watched = watches::open(session);
    objects::run(session).await;
    lists::run(session).await;
    watches::run(session).await;
    selectors::run(session).await;
    forms::run(session).await;
    writes::run(session).await;
    schemas::run(session).await;
    updates::run(session).await;
    apply::run(session).await;
    migration::run(session).await;
    warnings::run(session).await;
    rights::run(session).await;
    clients::run(session).await;
    defaults::run(session).await;
    paths::run(session).await;
    discovery::run(session).await;
    watches::close(session, watched).await;
}

pub(crate) fn namespace(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } })
}

pub(crate) fn map(name: &str, data: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "labels": { "app": name, "tier": "a" } },
        "data": { "key": data },
    })
}

/// Returns the rows of the table `name` in a file of tables.
fn rows<T: DeserializeOwned>(tables: &str, name: &str) -> Vec<T> {
    serde_json::from_value(yaml(tables)[name].clone()).unwrap()
}

/// Parses a document.
fn yaml(text: &str) -> Value {
    informer_manifest::parse(text).unwrap().remove(0)
}

fn widget(name: &str, size: i64) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Widget",
        "metadata": { "name": name, "labels": { "app": name, "tier": "a" } },
        "spec": { "size": size, "color": "red" },
    })
}

pub(crate) fn gadget(name: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": { "name": name }, "spec": { "size": 1 },
    })
}

pub(crate) fn definition(group: &str, kind: &str, scope: &str) -> Value {
    let singular = kind.to_lowercase();
    let plural = format!("{singular}s");
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.{group}") },
        "spec": {
            "group": group, "scope": scope,
            "names": {
                "plural": plural, "singular": singular, "kind": kind,
                "shortNames": [singular.get(..2)], "categories": ["all"],
            },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                        "labelSelectorPath": ".status.selector",
                    },
                },
                "selectableFields": [{ "jsonPath": ".spec.color" }],
                "additionalPrinterColumns": [
                    { "name": "Size", "type": "integer", "jsonPath": ".spec.size" },
                    { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
                ],
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": {
                            "type": "object",
                            "required": ["size"],
                            "properties": {
                                "size": { "type": "integer", "minimum": 0, "maximum": 100 },
                                "color": { "type": "string", "enum": ["red", "green"] },
                                "shape": { "type": "string", "default": "round" },
                                "replicas": { "type": "integer" },
                                "tags": { "type": "array", "items": { "type": "string" }, "maxItems": 2 },
                                "any": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                                "port": { "x-kubernetes-int-or-string": true },
                                "code": { "type": "string", "pattern": "^[a-z]+$" },
                            },
                        },
                        "status": {
                            "type": "object",
                            "properties": {
                                "replicas": { "type": "integer" },
                                "selector": { "type": "string" },
                                "phase": { "type": "string" },
                            },
                        },
                    },
                } },
            }],
        },
    })
}

async fn prepare(session: &mut Session) {
    session.post("/api/v1/namespaces", &namespace("diff")).await;
    for (kind, scope) in [("Widget", "Namespaced"), ("Gadget", "Cluster")] {
        let body = definition("example.com", kind, scope);
        session.post(CRDS, &body).await;
    }
    session.await_served(WIDGETS).await;
    session.await_served(GADGETS).await;
    session.get(format!("{CRDS}/widgets.example.com")).await;
}
