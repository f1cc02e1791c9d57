//! Paths of a resource, as far as clients look at them: `kubectl explain` finds the kind of a
//! resource by its operations, and `kubectl apply` and Helm what a patch understands.

use serde_json::{Map, Value, json};

use crate::document::set;
use crate::registry::{Resource, Version, api_version};

/// Methods of a collection and of an object, with the verbs that serve them.
const OF_COLLECTION: [(&str, &str); 3] = [
    ("get", "list"),
    ("post", "create"),
    ("delete", "deletecollection"),
];
const OF_OBJECT: [(&str, &str); 4] = [
    ("get", "get"),
    ("put", "update"),
    ("patch", "patch"),
    ("delete", "delete"),
];

/// Returns the paths of a resource.
pub(super) fn of(resource: &Resource, version: &Version) -> Map<String, Value> {
    let prefix = if resource.group.is_empty() {
        "api"
    } else {
        "apis"
    };
    let base = format!("/{prefix}/{}", api_version(&resource.group, &version.name));
    let plural = &resource.plural;
    let collection = if resource.namespaced {
        format!("{base}/namespaces/{{namespace}}/{plural}")
    } else {
        format!("{base}/{plural}")
    };
    let own = json!({
        "group": resource.group, "version": version.name, "kind": resource.kind,
    });
    let scale = json!({ "group": "autoscaling", "version": "v1", "kind": "Scale" });
    let object = format!("{collection}/{{name}}");
    let of_part = &OF_OBJECT[..3];
    let mut paths = Map::new();
    if resource.namespaced {
        let everywhere = item(resource, &OF_COLLECTION[..1], &own);
        paths.insert(format!("{base}/{plural}"), everywhere);
    }
    paths.insert(collection, item(resource, &OF_COLLECTION, &own));
    if resource.verbs().contains(&"get") {
        paths.insert(object.clone(), item(resource, &OF_OBJECT, &own));
    }
    if version.status {
        paths.insert(format!("{object}/status"), item(resource, of_part, &own));
    }
    if version.scale.is_some() {
        paths.insert(format!("{object}/scale"), item(resource, of_part, &scale));
    }
    paths
}

/// Returns the operations of a path, on documents of `kind`.
fn item(resource: &Resource, methods: &[(&str, &str)], kind: &Value) -> Value {
    let operations = methods
        .iter()
        .filter(|(_, verb)| resource.verbs().contains(verb))
        .map(|(method, verb)| {
            // The documents name writes by their method.
            let (action, names): (_, &[&str]) = match *method {
                "post" | "put" | "patch" => {
                    (method, &["dryRun", "fieldManager", "fieldValidation"])
                }
                _ => (verb, &[]),
            };
            let parameters: Vec<Value> = names
                .iter()
                .map(|name| json!({ "name": name, "in": "query", "schema": { "type": "string" } }))
                .collect();
            let mut operation = json!({
                "parameters": parameters,
                "responses": { "200": { "description": "OK" } },
                "x-kubernetes-action": action,
                "x-kubernetes-group-version-kind": kind,
            });
            if *method == "patch" {
                set(&mut operation, "requestBody", patches(resource));
            }
            ((*method).to_owned(), operation)
        });
    Value::Object(operations.collect())
}

/// Returns the body of a patch. Server-side apply has no media type in the documents.
fn patches(resource: &Resource) -> Value {
    let mut content = json!({
        "application/json-patch+json": {},
        "application/merge-patch+json": {},
    });
    if !resource.custom {
        set(
            &mut content,
            "application/strategic-merge-patch+json",
            json!({}),
        );
    }
    json!({ "content": content, "required": true })
}
