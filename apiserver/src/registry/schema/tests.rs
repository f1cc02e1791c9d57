use serde_json::{Value, json};

use super::Schema;

fn schema(spec: Value) -> Schema {
    let mut root = json!({ "type": "object", "properties": {} });
    root["properties"]["spec"] = spec;
    Schema::new(root, true)
}

/// What becomes of `spec`.
#[track_caller]
fn completed(schema: &Schema, spec: Value) -> Value {
    let mut object = json!({ "metadata": { "name": "a" }, "unknown": 1 });
    object["spec"] = spec;
    schema.complete(object.as_object_mut().unwrap(), false);
    assert_eq!(object["metadata"]["name"], "a");
    assert_eq!(object.get("unknown"), None);
    object["spec"].take()
}

/// What is said about `spec`.
fn refused(schema: &Schema, spec: Value) -> Vec<String> {
    let mut object = json!({ "metadata": {} });
    object["spec"] = spec;
    let causes = schema.violations(object.as_object().unwrap());
    causes.iter().map(ToString::to_string).collect()
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
fn defaults_fill_what_is_absent_or_null_where_null_may_not_be() {
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
    for (spec, expected) in [
        (json!({}), "spec.name: Required value"),
        (
            json!({ "name": 1 }),
            r#"spec.name: Invalid value: "integer": spec.name in body must be of type string: "integer""#,
        ),
        (
            json!({ "name": "" }),
            r#"spec.name: Invalid value: "": spec.name in body should be at least 1 chars long"#,
        ),
        (
            json!({ "name": "long" }),
            "spec.name: Too long: may not be more than 3 bytes",
        ),
        (
            json!({ "name": "a", "size": 0 }),
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
        ),
        (
            json!({ "name": "a", "size": 10 }),
            "spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9",
        ),
        (
            json!({ "name": "a", "share": 0 }),
            "spec.share: Invalid value: 0: spec.share in body should be greater than 0",
        ),
        (
            json!({ "name": "a", "mode": "on" }),
            r#"spec.mode: Unsupported value: "on": supported values: "On", "Off""#,
        ),
        (
            json!({ "name": "a", "list": [{}, { "a": 1 }] }),
            "spec.list[0].a: Required value",
        ),
        (
            json!({ "name": "a", "list": [] }),
            "spec.list: Invalid value: []: spec.list in body should have at least 1 items",
        ),
        (
            json!({ "name": "a", "list": [{ "a": 1 }, { "a": 1 }, { "a": 1 }] }),
            "spec.list: Too many: 3: must have at most 2 items",
        ),
        (
            json!({ "name": "a", "port": true }),
            r#"spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean""#,
        ),
        (
            json!({ "name": "a", "either": {} }),
            r#"<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid"#,
        ),
    ] {
        assert_eq!(refused(&schema, spec), [expected]);
    }
    let fine = json!({
        "name": "abc", "size": 9, "share": 0.5, "mode": "Off", "port": "http",
        "list": [{ "a": null }], "either": { "b": 1 },
    });
    assert_eq!(refused(&schema, fine), Vec::<String>::new());
}
