use serde_json::{Value, json};

use super::Schema;

fn schema(spec: Value) -> Schema {
    let mut root = json!({ "type": "object", "properties": {} });
    root["properties"]["spec"] = spec;
    Schema::new(root, true)
}

/// Returns `spec` after pruning and defaulting.
#[track_caller]
fn completed(schema: &Schema, spec: Value) -> Value {
    let mut object = json!({ "metadata": { "name": "a" }, "unknown": 1 });
    object["spec"] = spec;
    schema.complete(object.as_object_mut().unwrap(), false);
    assert_eq!(object["metadata"]["name"], "a");
    assert_eq!(object.get("unknown"), None);
    object["spec"].take()
}

/// Returns the violations of `spec`.
fn violations(schema: &Schema, spec: Value) -> Vec<String> {
    let mut object = json!({ "metadata": {} });
    object["spec"] = spec;
    let causes = schema.violations(object.as_object().unwrap());
    causes.iter().map(ToString::to_string).collect()
}

/// Returns a table of `violations.yaml`.
fn rows(name: &str) -> Vec<(Value, String)> {
    let mut tables = informer_manifest::parse::<Value>(include_str!("violations.yaml")).unwrap();
    serde_json::from_value(tables[0][name].take()).unwrap()
}

#[test]
fn unknown_fields_are_pruned_unless_preserved() {
    let schema = schema(json!({ "type": "object", "properties": {
        "known": { "type": "string" },
        "free": {
            "type": "object", "x-kubernetes-preserve-unknown-fields": true,
            "properties": { "strict": { "type": "object", "properties": {} } },
        },
        "map": { "type": "object", "additionalProperties": {
            "type": "object", "properties": { "a": { "type": "integer" } },
        }},
        "list": { "type": "array", "items": {
            "type": "object", "properties": { "a": { "type": "integer" } },
        }},
        "object": { "type": "object", "x-kubernetes-embedded-resource": true },
    }}));
    let given = json!({
        "known": "x", "other": 1,
        "free": { "any": { "thing": 1 }, "strict": { "gone": 1 } },
        "map": { "k": { "a": 1, "b": 2 } },
        "list": [{ "a": 1, "b": 2 }],
        "object": { "kind": "K", "apiVersion": "v", "metadata": { "x": 1 }, "spec": {} },
    });
    let expected = json!({
        "known": "x",
        "free": { "any": { "thing": 1 }, "strict": {} },
        "map": { "k": { "a": 1 } },
        "list": [{ "a": 1 }],
        "object": { "kind": "K", "apiVersion": "v", "metadata": { "x": 1 } },
    });
    assert_eq!(completed(&schema, given), expected);
}

#[test]
fn defaults_replace_absent_fields_and_forbidden_nulls() {
    let schema = schema(json!({ "type": "object", "properties": {
        "size": { "type": "integer", "default": 3 },
        "maybe": { "type": "string", "nullable": true, "default": "x" },
        "plain": { "type": "string" },
        "inner": { "type": "object", "default": {}, "properties": {
            "deep": { "type": "boolean", "default": true },
        }},
        "absent": { "type": "object", "properties": { "deep": { "default": 1 } } },
        "list": { "type": "array", "items": {
            "type": "object", "properties": { "a": { "default": 1 } },
        }},
    }}));
    let given = json!({ "size": null, "maybe": null, "plain": null, "list": [{}] });
    let expected = json!({
        "size": 3, "maybe": null, "inner": { "deep": true }, "list": [{ "a": 1 }],
    });
    assert_eq!(completed(&schema, given), expected);
}

#[test]
fn violations_are_worded_as_by_the_real_server() {
    let schema = schema(json!({
        "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string", "minLength": 1, "maxLength": 3 },
            "size": { "type": "integer", "minimum": 1, "maximum": 9 },
            "share": { "type": "number", "minimum": 0, "exclusiveMinimum": true },
            "mode": { "type": "string", "enum": ["On", "Off"] },
            "list": { "type": "array", "minItems": 1, "maxItems": 2,
                      "items": { "type": "object", "required": ["a"] } },
            "port": { "x-kubernetes-int-or-string": true },
            "either": { "type": "object", "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] },
        },
    }));
    for (spec, expected) in rows("violations") {
        assert_eq!(violations(&schema, spec), [expected]);
    }
    assert_eq!(
        violations(&schema, json!({ "name": "a", "either": {} })),
        [
            r#"<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid"#,
            "spec.either.a: Required value",
        ],
        "followed by the violations of the first schema"
    );
    let fine = json!({
        "name": "abc", "size": 9, "share": 0.5, "mode": "Off", "port": "http",
        "list": [{ "a": null }], "either": { "b": 1 },
    });
    assert_eq!(violations(&schema, fine), Vec::<String>::new());
}

/// Covers the shapes of real definitions: a pattern in a list and in a map, an unanchored pattern,
/// formats with and without a `type`, and formats of other types.
#[test]
fn patterns_and_formats_are_checked_in_the_words_of_the_real_server() {
    let schema = schema(json!({ "type": "object", "properties": {
        "host": { "type": "string", "maxLength": 9, "pattern": r"^[\w-]+(\.[\w-]+)*$" },
        "part": { "type": "string", "pattern": "b" },
        "hosts": { "type": "array", "items": { "type": "string", "pattern": "^a" } },
        "labels": { "type": "object", "additionalProperties": { "type": "string", "pattern": "^$|x" } },
        "quantity": {
            "x-kubernetes-int-or-string": true,
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
            "pattern": r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
        },
        "address": { "type": "string", "format": "ipv4" },
        "since": { "type": "string", "format": "date-time", "nullable": true },
        "any": { "format": "cidr", "x-kubernetes-preserve-unknown-fields": true },
        "unknown": { "type": "string", "format": "hair" },
        "number": { "type": "integer", "format": "int32" },
        "either": { "type": "string", "oneOf": [{ "pattern": "^a" }, { "pattern": "b$" }] },
    }}));
    for (spec, expected) in rows("formats") {
        assert_eq!(violations(&schema, spec), [expected]);
    }
    let quantity = violations(&schema, json!({ "quantity": "1 Gi" }));
    assert_eq!(quantity.len(), 1, "{quantity:?}");
    let fine = json!({
        "host": "a.b-c", "part": "abc", "hosts": ["a"], "labels": { "k": "", "l": "x" }, "quantity": "1.5Gi",
        "address": "1.2.3.4", "since": null, "any": { "a": 1 }, "unknown": "x", "number": 1, "either": "a",
    });
    assert_eq!(violations(&schema, fine), Vec::<String>::new());
    assert_eq!(
        violations(&schema, json!({ "quantity": 3 })),
        Vec::<String>::new()
    );
}
