//! A document of a built-in kind without what Go does not write out.

use serde_json::{Map, Value};

use super::types::{Kind, MapType, TypeId, Types};

// === impl Types ===

impl Types {
    /// Drops nulls, empty lists and empty maps where they may be absent. An empty struct says
    /// something (`emptyDir: {}`) and stays.
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
            let field = map.fields.get(name);
            if value.is_null() {
                // In a map that is no struct it is the zero of its type.
                return field.is_none();
            }
            field.is_none_or(|field| field.required || !self.says_nothing(field.of, value))
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

    fn says_nothing(&self, of: TypeId, value: &Value) -> bool {
        let atom = self.atom(of);
        // What may be anything is kept as it is.
        if atom.scalar.is_some() {
            return false;
        }
        match (value, &atom.map) {
            (Value::Array(items), _) => items.is_empty(),
            (Value::Object(members), Some(map)) => members.is_empty() && map.keyed,
            _ => false,
        }
    }
}
