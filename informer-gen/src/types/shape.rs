//! Recognizes schemas that do not become a struct of their own.

use super::schema::Schema;

/// Reports whether an object has known members, or none at all. Other objects are maps.
pub(super) fn is_struct(schema: &Schema) -> bool {
    let is_closed = schema.values.is_none() && !schema.keeps_unknown;
    schema.kind == "object" && (is_closed || !schema.properties.is_empty())
}

/// Reports whether the objects are conditions of `k8s-openapi`, with exactly their members.
pub(super) fn is_condition(schema: Option<&Schema>) -> bool {
    let required = ["lastTransitionTime", "message", "reason", "status", "type"];
    let Some(schema) = schema else {
        return false;
    };
    let has_time = schema
        .properties
        .get("lastTransitionTime")
        .is_some_and(|member| member.format == "date-time");
    let is_known = |(name, member): (&String, &Schema)| match name.as_str() {
        "observedGeneration" => member.format == "int64",
        name => required.contains(&name) && member.kind == "string" && !member.is_nullable,
    };
    has_time
        && !schema.keeps_unknown
        && !schema.is_nullable
        && required.iter().all(|name| schema.requires(name))
        && schema.properties.iter().all(is_known)
}

/// Reports whether the object is a reference of `k8s-openapi`, with exactly its members.
pub(super) fn is_object_reference(schema: &Schema) -> bool {
    let members = [
        "apiVersion",
        "fieldPath",
        "kind",
        "name",
        "namespace",
        "resourceVersion",
        "uid",
    ];
    let is_text = |member: &Schema| member.kind == "string" && member.texts.is_empty();
    schema.properties.keys().eq(members)
        && schema.required.is_empty()
        && !schema.keeps_unknown
        && !schema.is_embedded
        && schema.properties.values().all(is_text)
}
