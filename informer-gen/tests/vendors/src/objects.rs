//! Generates objects from schemas: any object that the API server would accept and keep, and objects
//! with arbitrary changes.

use serde_json::{Map, Value, json};

use crate::random::Random;

/// Generates random values from a seed.
pub(crate) struct Objects(Random);

impl Objects {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Random::new(seed))
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

    /// Changes some values of an object outside of its metadata.
    pub(crate) fn change(&mut self, object: &mut Value) {
        let members = object.as_object_mut().into_iter().flatten();
        let members = members
            .filter(|(name, _)| !["apiVersion", "kind", "metadata"].contains(&name.as_str()));
        for (_, value) in members {
            self.change_value(value);
        }
    }

    fn change_value(&mut self, value: &mut Value) {
        if self.0.one_in(10) {
            *value = self.odd();
            return;
        }
        match value {
            Value::Object(members) => {
                members.retain(|_, _| !self.0.one_in(12));
                members
                    .values_mut()
                    .for_each(|member| self.change_value(member));
                if self.0.one_in(8) {
                    members.insert("unknown".to_owned(), self.odd());
                }
            }
            Value::Array(elements) => {
                for element in elements {
                    self.change_value(element);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// Returns a value that fits few schemas.
    fn odd(&mut self) -> Value {
        let values = [
            json!(null),
            json!(true),
            json!(0),
            json!(-1),
            json!(1.0),
            json!(1.5),
            json!(1e3),
            json!(255),
            json!(256),
            json!(65_536),
            json!(2_147_483_648_i64),
            json!(-2_147_483_649_i64),
            json!(4_294_967_296_i64),
            json!(i64::MAX),
            json!(i64::MIN),
            json!(u64::MAX),
            json!(1e19),
            json!(9_007_199_254_740_992.0),
            json!(10_000_000_000.5),
            json!(-7.0),
            json!(""),
            json!("12"),
            json!("8Gi"),
            json!("2024-05-06T07:08:09.123+01:00"),
            json!([]),
            json!({}),
            json!([null]),
            json!({"a": null}),
        ];
        self.0.one_of(&values)
    }

    fn value(&mut self, schema: &Value) -> Value {
        let is = |extension: &str| schema[extension] == true;
        // The validator accepts no null of an enum, even if the enum has one.
        if schema["nullable"] == true && schema.get("enum").is_none() && self.0.one_in(4) {
            return Value::Null;
        }
        if let Some(values) = schema["enum"].as_array() {
            let values = values.iter().filter(|value| !value.is_null());
            return self.0.one_of(&values.cloned().collect::<Vec<_>>());
        }
        if is("x-kubernetes-int-or-string") {
            return if self.0.one_in(2) {
                json!(
                    self.0
                        .one_of(&[0, -1, 80, 2_147_483_648, 8_589_934_592, i64::MAX, i64::MIN])
                )
            } else {
                self.text(&Value::Null)
            };
        }
        match schema["type"].as_str() {
            Some("boolean") => json!(self.0.one_in(2)),
            Some("integer") => json!(self.integer(schema)),
            Some("number") => self.0.one_of(&[json!(0.1), json!(-2.5e10), json!(7)]),
            Some("string") => self.text(schema),
            Some("array") => {
                let length = self.0.below(3);
                (0..length).map(|_| self.value(&schema["items"])).collect()
            }
            Some("object") => self.members(schema),
            // The API server removes a null here.
            _ => {
                let value = self.any(2);
                if value.is_null() { json!({}) } else { value }
            }
        }
    }

    fn members(&mut self, schema: &Value) -> Value {
        let mut members = Map::new();
        let required = schema["required"].as_array();
        for (name, member) in schema["properties"].as_object().into_iter().flatten() {
            let is_required = required.is_some_and(|all| all.iter().any(|one| one == name));
            if is_required || !self.0.one_in(3) {
                members.insert(name.clone(), self.value(member));
            }
        }
        let values = &schema["additionalProperties"];
        if values.is_object() {
            for key in 0..self.0.below(3) {
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
            for key in 0..self.0.below(3) {
                members.insert(format!("unknown{key}"), self.any(2));
            }
        }
        Value::Object(members)
    }

    fn metadata(&mut self) -> Value {
        let mut metadata = json!({"name": "a", "uid": "u1", "resourceVersion": "1"});
        if self.0.one_in(2) {
            metadata["labels"] = json!({"app": "web"});
            metadata["creationTimestamp"] = json!("2024-05-06T07:08:09Z");
        }
        metadata
    }

    fn any(&mut self, depth: u32) -> Value {
        match self.0.below(if depth == 0 { 4 } else { 6 }) {
            0 => Value::Null,
            1 => json!(self.0.one_of(&[i64::MIN, i64::MAX, 0, -7])),
            2 => json!(self.0.one_in(2)),
            3 => self.text(&Value::Null),
            4 => json!([self.any(depth - 1), self.any(depth - 1)]),
            _ => json!({"a": self.any(depth - 1), "b": self.any(depth - 1)}),
        }
    }

    fn text(&mut self, schema: &Value) -> Value {
        if schema["format"] == "date-time" {
            return json!(format!("2024-05-{:02}T07:08:09Z", 1 + self.0.below(28)));
        }
        let texts = ["", "a", "null", "true", "12", "ünï \"x\" \\ \n", "80%"];
        json!(self.0.one_of(&texts))
    }

    /// Returns an integer that the API server accepts: it checks the range of `int32` and the bounds.
    fn integer(&mut self, schema: &Value) -> i64 {
        let (least, most) = match schema["format"].as_str() {
            Some("int32") => (i32::MIN.into(), i32::MAX.into()),
            _ => (i64::MIN, i64::MAX),
        };
        let bound = |name: &str| {
            let bound = schema[name].as_f64();
            #[expect(clippy::cast_possible_truncation, reason = "the bounds are small")]
            bound.map(|bound| bound.ceil() as i64)
        };
        let least = bound("minimum").map_or(least, |bound| bound.max(least));
        let most = bound("maximum").map_or(most, |bound| bound.min(most));
        let edges = [least, most, 0, -7, 7, 300, 70_000, 1 << 32];
        self.0.one_of(&edges).clamp(least, most)
    }
}
