//! Paths of a resource, as far as clients look at them: `kubectl explain` finds the kind of a
//! resource by its operations, and `kubectl apply` and Helm what a patch understands.

use serde_json::{Map, Value, json};

use crate::document::set;
use crate::registry::{Resource, Version, api_version};

/// A method of a path, and the verb that serves it.
struct Method {
    name: &'static str,
    verb: &'static str,
}

const LIST: Method = Method {
    name: "get",
    verb: "list",
};
const CREATE: Method = Method {
    name: "post",
    verb: "create",
};
const DELETE_COLLECTION: Method = Method {
    name: "delete",
    verb: "deletecollection",
};
const GET: Method = Method {
    name: "get",
    verb: "get",
};
const UPDATE: Method = Method {
    name: "put",
    verb: "update",
};
const PATCH: Method = Method {
    name: "patch",
    verb: "patch",
};
const DELETE: Method = Method {
    name: "delete",
    verb: "delete",
};

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
        "group": resource.group,
        "version": version.name,
        "kind": resource.kind,
    });
    let scale = json!({
        "group": "autoscaling",
        "version": "v1",
        "kind": "Scale",
    });
    let object = format!("{collection}/{{name}}");
    let mut paths = Map::new();
    if resource.namespaced {
        let everywhere = item(resource, &[LIST], &own);
        paths.insert(format!("{base}/{plural}"), everywhere);
    }
    let of_collection = [LIST, CREATE, DELETE_COLLECTION];
    paths.insert(collection, item(resource, &of_collection, &own));
    if resource.verbs().contains(&"get") {
        let of_object = [GET, UPDATE, PATCH, DELETE];
        paths.insert(object.clone(), item(resource, &of_object, &own));
    }
    let of_part = [GET, UPDATE, PATCH];
    if version.status {
        paths.insert(format!("{object}/status"), item(resource, &of_part, &own));
    }
    if version.scale.is_some() {
        paths.insert(format!("{object}/scale"), item(resource, &of_part, &scale));
    }
    paths
}

/// Returns the operations of a path, on documents of `kind`.
fn item(resource: &Resource, methods: &[Method], kind: &Value) -> Value {
    let mut operations = Map::new();
    for method in methods {
        if resource.verbs().contains(&method.verb) {
            operations.insert(method.name.to_owned(), operation(resource, method, kind));
        }
    }
    Value::Object(operations)
}

fn operation(resource: &Resource, method: &Method, kind: &Value) -> Value {
    let is_write = matches!(method.name, "post" | "put" | "patch");
    let mut parameters = Vec::new();
    if is_write {
        for name in ["dryRun", "fieldManager", "fieldValidation"] {
            parameters.push(json!({
                "name": name,
                "in": "query",
                "schema": { "type": "string" },
            }));
        }
    }
    // The documents name writes by their method.
    let action = if is_write { method.name } else { method.verb };
    let mut operation = json!({
        "parameters": parameters,
        "responses": { "200": { "description": "OK" } },
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": kind,
    });
    if method.name == "patch" {
        set(&mut operation, "requestBody", patches(resource));
    }
    operation
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
