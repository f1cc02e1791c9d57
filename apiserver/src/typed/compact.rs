//! Removal of members that Go would omit from a document of a built-in kind.

use serde_json::{Map, Value};

use super::types::{Kind, MapType, TypeId, Types};

// === impl Types ===

impl Types {
    /// Removes nulls, empty lists and empty maps that may be absent. An empty struct has a meaning
    /// (`emptyDir: {}`) and stays.
    pub(crate) fn compact(&self, document: &mut Map<String, Value>) {
        if let Some(map) = &self.atom(self.root).map {
            self.compact_map(map, document);
        }
    }

    fn compact_map(&self, map: &MapType, members: &mut Map<String, Value>) {
        members.retain(|name, value| {
            if let Some(of) = map.of(name) {
                self.compact_value(of, value);
            }
            match map.fields.get(name) {
                Some(_) if value.is_null() => false,
                Some(field) => field.required || !self.is_omitted(field.of, value),
                // In a map that is not a struct, null is the zero value of its type.
                None => true,
            }
        });
    }

    fn compact_value(&self, of: TypeId, value: &mut Value) {
        match (self.atom(of).kind(Some(value)), value) {
            (Some(Kind::Map(map)), Value::Object(members)) => self.compact_map(map, members),
            (Some(Kind::List(list)), Value::Array(items)) => {
                for item in items {
                    self.compact_value(list.element, item);
                }
            }
            _ => {}
        }
    }

    fn is_omitted(&self, of: TypeId, value: &Value) -> bool {
        let atom = self.atom(of);
        // A value of any type stays as it is.
        if atom.scalar.is_some() {
            return false;
        }
        match value {
            Value::Array(items) => items.is_empty(),
            Value::Object(members) => match &atom.map {
                Some(map) => map.keyed && members.is_empty(),
                None => false,
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
        }
    }
}
