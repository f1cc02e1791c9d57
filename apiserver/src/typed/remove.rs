//! Removal of fields from a document.

use serde_json::{Map, Value};

use super::element::Element;
use super::set::Set;
use super::types::{Kind, ListType, MapType, TypeId, Types};

// === impl Types ===

impl Types {
    /// Returns `document` without the fields and elements of `gone`.
    pub(crate) fn remove(&self, document: &Value, gone: &Set) -> Value {
        self.rest(document, gone, self.root)
            .unwrap_or_else(|| Value::Object(Map::new()))
    }

    fn rest(&self, value: &Value, gone: &Set, of: TypeId) -> Option<Value> {
        match (self.atom(of).kind(Some(value))?, value) {
            (Kind::Scalar(_), _) => Some(value.clone()),
            (Kind::Map(map), Value::Object(members)) if !map.atomic => {
                let rest = self.map_rest(map, members, gone);
                (!rest.is_empty()).then_some(Value::Object(rest))
            }
            (Kind::List(list), Value::Array(items)) if list.associative => {
                let rest = self.list_rest(list, items, gone);
                (!rest.is_empty()).then_some(Value::Array(rest))
            }
            // Atomic values are removed as a whole.
            _ => None,
        }
    }

    fn map_rest(
        &self,
        map: &MapType,
        members: &Map<String, Value>,
        gone: &Set,
    ) -> Map<String, Value> {
        let mut rest = Map::new();
        for (name, value) in members {
            let Some(node) = gone.get(&Element::field(name.as_str())) else {
                rest.insert(name.clone(), value.clone());
                continue;
            };
            if node.member {
                continue;
            }
            let kept = match map.of(name) {
                // A member without a remainder becomes null, which counts as a member of a set.
                Some(of) => self.rest(value, &node.below, of).unwrap_or_default(),
                None => value.clone(),
            };
            rest.insert(name.clone(), kept);
        }
        rest
    }

    fn list_rest(&self, list: &ListType, items: &[Value], gone: &Set) -> Vec<Value> {
        let mut rest = Vec::new();
        for item in items {
            let found = match self.element(list, item) {
                Ok(step) => gone.get(&step),
                Err(_) => None,
            };
            let Some(node) = found else {
                rest.push(item.clone());
                continue;
            };
            if !node.member {
                let kept = self.rest(item, &node.below, list.element);
                rest.push(kept.unwrap_or_default());
            }
        }
        rest
    }
}
