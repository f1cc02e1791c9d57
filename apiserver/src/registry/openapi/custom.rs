//! Schemas of custom kinds: those of their definitions, with the members of every resource.

use serde_json::{Value, json};

use crate::document::set;
use crate::registry::models::{Schemas, built_in};
use crate::registry::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Adds the schemas of an object and of its list. Returns the name of the object's schema.
pub(super) fn add(resource: &Resource, version: &Version, schemas: &mut Schemas) {
    let name = custom_name(&resource.group, &version.name, &resource.kind);
    let list_name = custom_name(&resource.group, &version.name, &resource.list_kind);
    schemas.insert(name.clone(), object(resource, version));
    schemas.insert(list_name, list(resource, version, &name));
    schemas.add(&format!("{META}.ObjectMeta"));
    schemas.add(&format!("{META}.ListMeta"));
}

fn object(resource: &Resource, version: &Version) -> Value {
    let unknown = || json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    let given = version
        .schema
        .as_ref()
        .map(|schema| schema.document().clone());
    let mut schema = given.filter(Value::is_object).unwrap_or_else(unknown);
    let metadata = described(
        "metadata",
        json!({ "allOf": [reference(&format!("{META}.ObjectMeta"))] }),
    );
    add_type(&mut schema, metadata);
    set(
        &mut schema,
        "x-kubernetes-group-version-kind",
        kinds(resource, version, &resource.kind),
    );
    schema
}

fn list(resource: &Resource, version: &Version, item: &str) -> Value {
    let kind = &resource.kind;
    let metadata = json!({
        "description": "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds",
        "allOf": [reference(&format!("{META}.ListMeta"))],
    });
    let mut schema = json!({
        "description": format!("{} is a list of {kind}", resource.list_kind),
        "type": "object",
        "required": ["items"],
        "properties": { "items": {
            "description": format!("List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md", resource.plural),
            "type": "array",
            "items": reference(item),
        }},
        "x-kubernetes-group-version-kind": kinds(resource, version, &resource.list_kind),
    });
    add_type(&mut schema, metadata);
    schema
}

/// Adds the members of every resource: `apiVersion`, `kind` and `metadata`.
fn add_type(schema: &mut Value, metadata: Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    set(
        properties,
        "apiVersion",
        described("apiVersion", json!({ "type": "string" })),
    );
    set(
        properties,
        "kind",
        described("kind", json!({ "type": "string" })),
    );
    set(properties, "metadata", metadata);
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

fn kinds(resource: &Resource, version: &Version, kind: &str) -> Value {
    json!([{ "group": resource.group, "version": version.name, "kind": kind }])
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
