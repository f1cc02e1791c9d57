//! Schemas of custom kinds: those of their definitions, with the members of every resource.

use serde_json::{Value, json};

use crate::document::set;
use crate::registry::models::{Schemas, built_in};
use crate::registry::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Adds the schemas of an object and of its list.
pub(super) fn add(resource: &Resource, version: &Version, schemas: &mut Schemas) {
    let (group, kind, list_kind) = (&resource.group, &resource.kind, &resource.list_kind);
    let name = custom_name(group, &version.name, kind);
    let unknown = || json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let given = version
        .schema
        .as_ref()
        .map(|schema| schema.document().clone());
    let object = given.filter(Value::is_object).unwrap_or_else(unknown);
    let list = json!({
        "description": format!("{list_kind} is a list of {kind}"),
        "type": "object",
        "required": ["items"],
        "properties": { "items": { "type": "array", "items": reference(&name) } },
    });
    for (kind, metadata, mut schema) in
        [(kind, "ObjectMeta", object), (list_kind, "ListMeta", list)]
    {
        let metadata = format!("{META}.{metadata}");
        let kinds = json!([{ "group": group, "version": version.name, "kind": kind }]);
        set(&mut schema, "x-kubernetes-group-version-kind", kinds);
        if let Some(members) = schema.as_object_mut() {
            let properties = members.entry("properties").or_insert_with(|| json!({}));
            let of_all = [
                ("apiVersion", json!({ "type": "string" })),
                ("kind", json!({ "type": "string" })),
                ("metadata", json!({ "allOf": [reference(&metadata)] })),
            ];
            for (field, schema) in of_all {
                set(properties, field, described(field, schema));
            }
        }
        schemas.add(&metadata);
        schemas.insert(custom_name(group, &version.name, kind), schema);
    }
}

/// Adds the description that built-in kinds have for `field`.
fn described(field: &str, mut schema: Value) -> Value {
    let description = built_in("io.k8s.api.core.v1.ConfigMap")
        .and_then(|schema| schema.get("properties")?.get(field)?.get("description"));
    if let Some(description) = description {
        set(&mut schema, "description", description.clone());
    }
    schema
}

/// Returns the name of a custom kind's schema: `com.example.v1.Foo`.
fn custom_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').rev().collect();
    parts.extend([version, kind]);
    parts.join(".")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
