//! Parser of JSON documents that reports duplicate members.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Parses one document, and returns the paths of duplicate fields, each path once. The last value
/// of a duplicate field wins.
pub(crate) fn parse(text: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Part(&mut duplicates).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, duplicates))
}

/// A part of a document. The paths of its duplicates are relative to this part.
struct Part<'a>(&'a mut Vec<String>);

// === impl Part ===

impl Part<'_> {
    /// Prefixes the paths after the first `known` ones with `step`.
    fn within(&mut self, known: usize, step: &str) {
        for path in self.0.iter_mut().skip(known) {
            let dot = if path.starts_with('[') { "" } else { "." };
            *path = format!("{step}{dot}{path}");
        }
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let known = self.0.len();
            let Some(item) = items.next_element_seed(Part(self.0))? else {
                return Ok(Value::Array(list));
            };
            if self.0.len() > known {
                self.within(known, &format!("[{}]", list.len()));
            }
            list.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let known = self.0.len();
            let value = members.next_value_seed(Part(self.0))?;
            self.within(known, &name);
            if map.contains_key(&name) && !self.0.contains(&name) {
                self.0.push(name.clone());
            }
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse;

    #[test]
    fn duplicate_fields_are_reported_with_their_paths() {
        let text = br#"{"a":1,"b":[{"c":{"d":1,"d":2,"d":3}},[{"e":1,"e":1}]],"a":{"f":0,"f":0}}"#;
        let (document, duplicates) = parse(text).unwrap();
        assert_eq!(
            document,
            json!({ "a": { "f": 0 }, "b": [{ "c": { "d": 3 } }, [{ "e": 1 }]] })
        );
        assert_eq!(duplicates, ["b[0].c.d", "b[1][0].e", "a.f", "a"]);
    }

    #[test]
    fn documents_parse_as_with_serde_json() {
        let text = r#" [null, true, -1, 18446744073709551615, 1.5, 1.0, "a\n\u00e4", {}, []] "#;
        let expected: Value = serde_json::from_str(text).unwrap();
        assert_eq!(parse(text.as_bytes()).unwrap(), (expected, Vec::new()));
        for wrong in ["", "{", "[] x", r#"{"a":}"#, "1e999"] {
            let expected = serde_json::from_str::<Value>(wrong)
                .unwrap_err()
                .to_string();
            assert_eq!(parse(wrong.as_bytes()).unwrap_err().to_string(), expected);
        }
    }
}
