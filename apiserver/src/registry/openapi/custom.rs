//! Schemas of custom kinds: those of their definitions, with the members of every resource.

use serde_json::{Value, json};

use crate::document::set;
use crate::registry::models::{Schemas, built_in};
use crate::registry::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Adds the schemas of an object and of its list.
pub(super) fn add(resource: &Resource, version: &Version, schemas: &mut Schemas) {
    let element = custom_name(resource, version, &resource.kind);
    let list_schema = json!({
        "description": format!("{} is a list of {}", resource.list_kind, resource.kind),
        "type": "object",
        "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "items": reference(&element),
            },
        },
    });
    let object = CustomKind {
        kind: &resource.kind,
        metadata: "ObjectMeta",
        schema: object_schema(version),
    };
    object.add_to(resource, version, schemas);
    let list = CustomKind {
        kind: &resource.list_kind,
        metadata: "ListMeta",
        schema: list_schema,
    };
    list.add_to(resource, version, schemas);
}

/// Returns the schema of the definition; one that permits everything if there is none.
fn object_schema(version: &Version) -> Value {
    if let Some(schema) = &version.schema
        && schema.document().is_object()
    {
        return schema.document().clone();
    }
    json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
}

/// A kind of a definition: that of its objects, or that of their list.
struct CustomKind<'a> {
    kind: &'a str,
    /// Type of its metadata.
    metadata: &'static str,
    schema: Value,
}

// === impl CustomKind ===

impl CustomKind<'_> {
    fn add_to(mut self, resource: &Resource, version: &Version, schemas: &mut Schemas) {
        let kinds = json!([{
            "group": resource.group,
            "version": version.name,
            "kind": self.kind,
        }]);
        let metadata = format!("{META}.{}", self.metadata);
        set(&mut self.schema, "x-kubernetes-group-version-kind", kinds);
        add_common_members(&mut self.schema, &metadata);
        schemas.add(&metadata);
        let name = custom_name(resource, version, self.kind);
        schemas.insert(name, self.schema);
    }
}

/// Adds the members that every resource has.
fn add_common_members(schema: &mut Value, metadata: &str) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let properties = members.entry("properties").or_insert_with(|| json!({}));
    for field in ["apiVersion", "kind"] {
        let text = json!({ "type": "string" });
        set(properties, field, described(field, text));
    }
    let of_metadata = json!({ "allOf": [reference(metadata)] });
    set(properties, "metadata", described("metadata", of_metadata));
}

/// Adds the description that built-in kinds have for `field`.
fn described(field: &str, mut schema: Value) -> Value {
    if let Some(description) = description_of(field) {
        set(&mut schema, "description", description.clone());
    }
    schema
}

fn description_of(field: &str) -> Option<&'static Value> {
    let any_kind = built_in("io.k8s.api.core.v1.ConfigMap")?;
    any_kind.get("properties")?.get(field)?.get("description")
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
