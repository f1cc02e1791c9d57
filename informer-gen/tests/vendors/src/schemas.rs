//! Definitions with random structural schemas, from a fixed seed, and with the deepest types.
//!
//! `build.rs` generates types from the definitions, and the tests generate objects.

use serde_json::{Map, Value, json};

use crate::random::Random;

/// Number of random kinds. Each adds to the time of compilation.
const KINDS: usize = 24;

/// Group of the definitions.
pub(crate) const GROUP: &str = "random.example.com";

/// Names of members, which are awkward in Rust and collide there.
const NAMES: &[&str] = &[
    "name",
    "replicas",
    "type",
    "self",
    "fooBar",
    "foo_bar",
    "foo-bar",
    "URL",
    "url",
    "x",
    "X",
    "a.b",
    "$ref",
    "-",
    "1st",
    "ünï",
    "ª",
    "spec",
    "status",
    "specs",
    "specification",
    "conditions",
    "rest",
    "apiVersion",
    "kind",
    "metadata",
    "default",
    "box",
    "isCA",
    "\"quoted\"",
    "line\nbreak",
    "",
];

/// Texts of enums, which are awkward as variants and collide there.
const TEXTS: &[&str] = &[
    "", "a", "A", "A_L_L", "ALL", "all", "Self", "self", "y", "true", "null", "8Gi", "1", "-", "_",
    "+", "a b", "ß", "Ok", "None", "\"", "*/",
];

/// Returns all definitions.
pub(crate) fn definitions() -> Vec<Value> {
    let mut random = Random::new(58);
    let kinds = (0..KINDS).map(|number| {
        let schema = Schemas(&mut random).root();
        definition(&format!("Random{number}"), &schema)
    });
    let mut all: Vec<Value> = kinds.collect();
    for shape in ["Objects", "Required", "Lists", "Maps", "Mixed"] {
        let schema = json!({"type": "object", "properties": {"spec": deep(shape, 60)}});
        all.push(definition(&format!("Deep{shape}"), &schema));
    }
    all
}

fn definition(kind: &str, schema: &Value) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema},
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{GROUP}")},
        "spec": {
            "group": GROUP, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "versions": [version],
        },
    })
}

/// Returns the schema of objects that contain each other, directly or in lists and maps.
fn deep(shape: &str, levels: usize) -> Value {
    let mut schema = json!({"type": "string"});
    for level in 0..levels {
        schema = json!({"type": "object", "properties": {"a": schema}});
        if shape == "Required" {
            set(&mut schema, "required", json!(["a"]));
        }
        let is_list = shape == "Lists" || (shape == "Mixed" && level % 3 == 1);
        let is_map = shape == "Maps" || (shape == "Mixed" && level % 3 == 2);
        if is_list {
            schema = json!({"type": "array", "items": schema});
        } else if is_map {
            schema = json!({"type": "object", "additionalProperties": schema});
        }
    }
    if shape == "Lists" {
        schema = json!({"type": "object", "properties": {"list": schema}});
    }
    schema
}

/// Generates structural schemas.
struct Schemas<'r>(&'r mut Random);

impl Schemas<'_> {
    /// Returns the schema of a kind: with `spec`, and at times with other members.
    fn root(&mut self) -> Value {
        let mut properties = Map::new();
        if !self.0.one_in(6) {
            let mut spec = self.object(4);
            if self.0.one_in(6) {
                set(&mut spec, "nullable", json!(true));
            }
            properties.insert("spec".to_owned(), spec);
        }
        if self.0.one_in(2) {
            let status = self.object(3);
            properties.insert("status".to_owned(), status);
        }
        if properties.is_empty() || self.0.one_in(5) {
            properties.insert("data".to_owned(), self.value(2));
            properties.insert("immutable".to_owned(), self.scalar());
        }
        let mut schema = json!({"type": "object"});
        if properties.contains_key("spec") && self.0.one_in(2) {
            set(&mut schema, "required", json!(["spec"]));
        }
        self.with_members(schema, properties, 8)
    }

    /// Adds members to the schema of an object. One of `others` schemas permits other members, too.
    fn with_members(
        &mut self,
        mut schema: Value,
        properties: Map<String, Value>,
        others: usize,
    ) -> Value {
        if self.0.one_in(others) {
            set(
                &mut schema,
                "x-kubernetes-preserve-unknown-fields",
                json!(true),
            );
        }
        set(&mut schema, "properties", Value::Object(properties));
        schema
    }

    fn value(&mut self, depth: usize) -> Value {
        if depth == 0 || self.0.one_in(2) {
            return self.scalar();
        }
        let mut schema = match self.0.below(9) {
            0..=2 => self.object(depth - 1),
            3 | 4 => json!({"type": "array", "items": self.value(depth - 1)}),
            5 | 6 => json!({"type": "object", "additionalProperties": self.value(depth - 1)}),
            7 => {
                let properties = json!({"spec": self.object(depth - 1)});
                json!({"type": "object", "x-kubernetes-embedded-resource": true, "properties": properties})
            }
            _ => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        };
        if self.0.one_in(6) {
            set(&mut schema, "nullable", json!(true));
        }
        schema
    }

    fn object(&mut self, depth: usize) -> Value {
        let count = 1 + self.0.below(7);
        let names: Vec<&str> = (0..count).map(|_| self.0.one_of(NAMES)).collect();
        let mut properties = Map::new();
        for name in names {
            properties.insert(name.to_owned(), self.value(depth));
        }
        // A required member with a default is always there.
        let required = properties.keys().filter(|_| self.0.one_in(4));
        let required: Vec<String> = required.cloned().collect();
        let mut schema = json!({"type": "object"});
        if !required.is_empty() {
            set(&mut schema, "required", json!(required));
        }
        self.with_members(schema, properties, 6)
    }

    fn scalar(&mut self) -> Value {
        let mut schema = match self.0.below(9) {
            0 => json!({"type": "boolean", "default": true}),
            1 | 2 => self.integer(),
            3 => {
                let format = self.0.one_of(&["", "float", "double"]);
                with_format(json!({"type": "number", "default": 0.5}), format)
            }
            4 | 5 => json!({
                "x-kubernetes-int-or-string": true, "default": "50%",
                "anyOf": [{"type": "integer"}, {"type": "string"}],
            }),
            6 => {
                let mut texts: Vec<&str> = (0..3).map(|_| self.0.one_of(TEXTS)).collect();
                texts.sort_unstable();
                texts.dedup();
                json!({"type": "string", "enum": texts, "default": texts.first()})
            }
            7 => {
                json!({"type": "string", "format": "date-time", "default": "2024-05-06T07:08:09Z"})
            }
            _ => json!({"type": "string", "default": "é"}),
        };
        let members = schema.as_object_mut().into_iter();
        if !self.0.one_in(3) {
            members.for_each(|members| drop(members.remove("default")));
        }
        if self.0.one_in(4) {
            set(&mut schema, "nullable", json!(true));
            // An enum lists its null.
            if let Some(Value::Array(texts)) = schema.get_mut("enum") {
                texts.push(Value::Null);
            }
        }
        let is_any = self.0.one_in(12);
        if is_any {
            return json!({"x-kubernetes-preserve-unknown-fields": true});
        }
        schema
    }

    /// Returns an integer whose format and bounds agree, or do not.
    fn integer(&mut self) -> Value {
        let formats = [
            "", "int32", "int64", "int8", "int16", "uint8", "uint16", "uint32", "uint64",
        ];
        let format = self.0.one_of(&formats);
        let mut schema = with_format(json!({"type": "integer", "default": 7}), format);
        if self.0.one_in(2) {
            set(
                &mut schema,
                "minimum",
                self.0.one_of(&[json!(0), json!(-128)]),
            );
        }
        // A bound has to fit the format.
        let maximum = self.0.one_of(&[127_u32, 255, 65_535, u32::MAX]);
        if self.0.one_in(2) && (format != "int32" || maximum < u32::MAX) {
            set(&mut schema, "maximum", json!(maximum));
        }
        schema
    }
}

fn with_format(mut schema: Value, format: &str) -> Value {
    if !format.is_empty() {
        set(&mut schema, "format", json!(format));
    }
    schema
}

fn set(schema: &mut Value, keyword: &str, value: Value) {
    if let Value::Object(members) = schema {
        members.insert(keyword.to_owned(), value);
    }
}
