//! Generates objects from schemas: any object that the API server would accept and keep.

use serde_json::{Map, Value, json};

/// Generates random values from a seed.
pub(crate) struct Objects(u64);

impl Objects {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns an object of a definition's version.
    pub(crate) fn object(&mut self, api_version: &str, kind: &str, schema: &Value) -> Value {
        let mut object = self.value(schema);
        let spec = &schema["properties"]["spec"];
        if object.get("spec").is_none() && spec["required"].is_array() {
            object["spec"] = self.value(spec);
        }
        let members = [
            ("apiVersion", json!(api_version)),
            ("kind", json!(kind)),
            ("metadata", self.metadata()),
        ];
        for (name, value) in members {
            object[name] = value;
        }
        object
    }

    fn value(&mut self, schema: &Value) -> Value {
        let is = |extension: &str| schema[extension] == true;
        if schema["nullable"] == true && self.one_in(4) {
            return Value::Null;
        }
        if let Some(values) = schema["enum"].as_array() {
            // YAML has strings that are not strings in JSON.
            let values: Vec<&Value> = match schema["type"].as_str() {
                Some("string") => values.iter().filter(|value| value.is_string()).collect(),
                _ => values.iter().collect(),
            };
            if !values.is_empty() {
                return values[self.below(values.len())].clone();
            }
        }
        if is("x-kubernetes-int-or-string") {
            return if self.one_in(2) {
                json!(self.integer("int32"))
            } else {
                self.text(&Value::Null)
            };
        }
        match schema["type"].as_str() {
            Some("boolean") => json!(self.one_in(2)),
            Some("integer") => json!(self.integer(schema["format"].as_str().unwrap_or_default())),
            Some("number") => [json!(0.1), json!(-2.5e10), json!(7)][self.below(3)].clone(),
            Some("string") => self.text(schema),
            Some("array") => {
                let length = self.below(3);
                (0..length).map(|_| self.value(&schema["items"])).collect()
            }
            Some("object") => self.members(schema),
            _ => self.any(2),
        }
    }

    fn members(&mut self, schema: &Value) -> Value {
        let mut members = Map::new();
        let required = schema["required"].as_array();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
            if is_required || !self.one_in(3) {
                members.insert(name.clone(), self.value(member));
            }
        }
        let values = &schema["additionalProperties"];
        if values.is_object() {
            for key in 0..self.below(3) {
                members.insert(format!("key-{key}"), self.value(values));
            }
        }
        if schema["x-kubernetes-embedded-resource"] == true {
            members.insert("apiVersion".to_owned(), json!("v1"));
            members.insert("kind".to_owned(), json!("Pod"));
            members.insert("metadata".to_owned(), self.metadata());
        }
        // All members of a map are known.
        if schema["x-kubernetes-preserve-unknown-fields"] == true && !values.is_object() {
            for key in 0..self.below(3) {
                members.insert(format!("unknown{key}"), self.any(2));
            }
        }
        Value::Object(members)
    }

    fn metadata(&mut self) -> Value {
        let mut metadata = json!({"name": "a", "uid": "u1", "resourceVersion": "1"});
        if self.one_in(2) {
            metadata["labels"] = json!({"app": "web"});
            metadata["creationTimestamp"] = json!("2024-05-06T07:08:09Z");
        }
        metadata
    }

    fn any(&mut self, depth: u32) -> Value {
        match self.below(if depth == 0 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => json!(self.integer("int64")),
            2 => json!(self.one_in(2)),
            3 => self.text(&Value::Null),
            4 => json!([self.any(depth - 1), self.any(depth - 1)]),
            _ => json!({"a": self.any(depth - 1), "b": self.any(depth - 1)}),
        }
    }

    fn text(&mut self, schema: &Value) -> Value {
        if schema["format"] == "date-time" {
            return json!(format!("2024-05-{:02}T07:08:09Z", 1 + self.below(28)));
        }
        let texts = ["", "a", "null", "true", "12", "ünï \"x\" \\ \n", "80%"];
        json!(texts[self.below(texts.len())])
    }

    fn integer(&mut self, format: &str) -> i64 {
        let edges: [i64; 4] = match format {
            "int32" => [i32::MIN.into(), i32::MAX.into(), 0, 7],
            _ => [i64::MIN, i64::MAX, 0, -7],
        };
        edges[self.below(edges.len())]
    }

    fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Returns a number below `bound`, by the generator `SplitMix64`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap()
    }
}
