//! Schemata that stand for something else than a struct of their own.

use super::schema::Schema;

/// Whether an object has members that are known, or none at all; the others are maps.
pub(super) fn is_struct(schema: &Schema) -> bool {
    let is_closed = schema.values.is_none() && !schema.keeps_unknown;
    schema.kind == "object" && (is_closed || !schema.properties.is_empty())
}

/// Whether the objects are those of `k8s-openapi`, with all their members and no others.
pub(super) fn is_condition(schema: Option<&Schema>) -> bool {
    let required = ["lastTransitionTime", "message", "reason", "status", "type"];
    let Some(schema) = schema else {
        return false;
    };
    let mut members = schema.properties.iter();
    let is_known = members.all(|(name, member)| match name.as_str() {
        "observedGeneration" => member.format == "int64",
        name => required.contains(&name) && member.kind == "string" && !member.is_nullable,
    });
    let is_time = |member: &Schema| member.format == "date-time";
    let time = schema.properties.get("lastTransitionTime");
    is_known
        && time.is_some_and(is_time)
        && !schema.keeps_unknown
        && !schema.is_nullable
        && required.iter().all(|name| schema.requires(name))
}

/// Whether the object is a reference of `k8s-openapi`, with all its members and no others.
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
    schema.properties.keys().eq(members)
        && schema.required.is_empty()
        && !schema.keeps_unknown
        && !schema.is_embedded
        && (schema.properties.values())
            .all(|member| member.kind == "string" && member.texts.is_empty())
}

/// The Rust type of an integer; the API server checks the range of `int32` and `int64` only, and others are there by
/// custom.
pub(super) fn integer(format: &str) -> &'static str {
    match format {
        "int8" => "i8",
        "int16" => "i16",
        "int32" => "i32",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" => "u64",
        _ => "i64",
    }
}
