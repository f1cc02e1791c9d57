//! Schemas of custom kinds: those of their definitions, with the members of every resource.

use serde_json::{Value, json};

use crate::document::set;
use crate::registry::models::{Schemas, built_in};
use crate::registry::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Adds the schemas of an object and of its list.
pub(super) fn add(resource: &Resource, version: &Version, schemas: &mut Schemas) {
    let object = version
        .schema
        .as_ref()
        .map(|schema| schema.document().clone())
        .filter(Value::is_object)
        .unwrap_or_else(
            || json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true }),
        );
    let element = custom_name(resource, version, &resource.kind);
    let list = json!({
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "type": "object",
        "required": ["items"],
        "properties": { "items": { "type": "array", "items": reference(&element) } },
    });
    for (kind, metadata, mut schema) in [
        (&resource.kind, "ObjectMeta", object),
        (&resource.list_kind, "ListMeta", list),
    ] {
        let kinds = json!([{ "group": resource.group, "version": version.name, "kind": kind }]);
        let meta_schema = format!("{META}.{metadata}");
        set(&mut schema, "x-kubernetes-group-version-kind", kinds);
        add_common_members(&mut schema, &meta_schema);
        schemas.add(&meta_schema);
        schemas.insert(custom_name(resource, version, kind), schema);
    }
}

/// Adds the members that every resource has.
fn add_common_members(schema: &mut Value, metadata: &str) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    for (field, schema) in [
        ("apiVersion", json!({ "type": "string" })),
        ("kind", json!({ "type": "string" })),
        ("metadata", json!({ "allOf": [reference(metadata)] })),
    ] {
        set(properties, field, described(field, schema));
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
fn custom_name(resource: &Resource, version: &Version, kind: &str) -> String {
    let mut parts: Vec<&str> = resource.group.split('.').rev().collect();
    parts.push(&version.name);
    parts.push(kind);
    parts.join(".")
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
