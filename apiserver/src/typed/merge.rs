//! Merge of an applied document into the live one.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value};

use super::element::Element;
use super::types::{Kind, ListType, MapType, TypeId, Types};

/// Elements of a list in their order, and by step. Duplicates map to `None`.
struct Items<'a> {
    order: Vec<(Element, &'a Value)>,
    by_step: BTreeMap<Element, Option<&'a Value>>,
}

// === impl Items ===

impl<'a> Items<'a> {
    /// Returns the element at `step`; null for duplicates.
    fn item(&self, step: &Element) -> Option<&'a Value> {
        let item = self.by_step.get(step)?;
        Some(item.unwrap_or(&Value::Null))
    }
}

// === impl Types ===

impl Types {
    /// Returns `live` with every leaf of `applied`. Nothing is removed. Lists have the order of
    /// `applied`; elements that only `live` has keep their position as far as possible.
    pub(crate) fn merge(&self, live: &Value, applied: &Value) -> Value {
        self.merged(Some(live), Some(applied), self.root)
            .unwrap_or_else(|| Value::Object(Map::new()))
    }

    fn merged(&self, live: Option<&Value>, applied: Option<&Value>, of: TypeId) -> Option<Value> {
        let atom = self.atom(of);
        let preferred = applied.or(live);
        match atom.kind(preferred)? {
            Kind::Scalar(_) => preferred.cloned(),
            Kind::Map(map) => {
                let old = live.and_then(Value::as_object);
                let new = applied.and_then(Value::as_object);
                let has_none = old.is_none_or(Map::is_empty) && new.is_none_or(Map::is_empty);
                if map.atomic || has_none {
                    return preferred.cloned();
                }
                self.merged_map(map, old, new)
            }
            Kind::List(list) => {
                let old = live.and_then(Value::as_array);
                let new = applied.and_then(Value::as_array);
                let has_none = old.is_none_or(Vec::is_empty) && new.is_none_or(Vec::is_empty);
                if !list.associative || has_none {
                    return preferred.cloned();
                }
                let old_items = self.items(list, old);
                let new_items = self.items(list, new);
                let merged = self.merged_list(list, &old_items, &new_items);
                if merged.is_empty() {
                    return None;
                }
                Some(Value::Array(merged))
            }
        }
    }

    fn merged_map(
        &self,
        map: &MapType,
        live: Option<&Map<String, Value>>,
        applied: Option<&Map<String, Value>>,
    ) -> Option<Value> {
        let mut merged = Map::new();
        let mut merge_member = |name: &String| {
            let old = live.and_then(|live| live.get(name));
            let new = applied.and_then(|applied| applied.get(name));
            let value = match map.of(name) {
                Some(of) => self.merged(old, new, of),
                // A field without a schema is atomic.
                None => new.or(old).cloned(),
            };
            if let Some(value) = value {
                merged.insert(name.clone(), value);
            }
        };
        for (name, _) in live.into_iter().flatten() {
            merge_member(name);
        }
        for (name, _) in applied.into_iter().flatten() {
            if live.is_none_or(|live| !live.contains_key(name)) {
                merge_member(name);
            }
        }
        if merged.is_empty() {
            return None;
        }
        Some(Value::Object(merged))
    }

    fn items<'a>(&self, list: &ListType, items: Option<&'a Vec<Value>>) -> Items<'a> {
        let mut order = Vec::new();
        let mut by_step = BTreeMap::new();
        for item in items.into_iter().flatten() {
            let Ok(step) = self.element(list, item) else {
                continue;
            };
            let is_first = !by_step.contains_key(&step);
            by_step.insert(step.clone(), is_first.then_some(item));
            order.push((step, item));
        }
        Items { order, by_step }
    }

    /// Merges both lists in one pass. Common elements have the order of `applied`.
    fn merged_list(&self, list: &ListType, live: &Items<'_>, applied: &Items<'_>) -> Vec<Value> {
        let mut merged = Vec::new();
        let mut done = BTreeSet::new();
        let mut shared = VecDeque::new();
        for (step, _) in &applied.order {
            if live.by_step.contains_key(step) {
                shared.push_back(step);
            }
        }
        let mut preferred = shared.pop_front();
        let mut old = live.order.iter().peekable();
        let mut new = applied.order.iter().peekable();
        let merged_item = |step: &Element| {
            let old_item = live.item(step);
            let new_item = applied.item(step);
            self.merged(old_item, new_item, list.element)
        };
        while old.peek().is_some() || new.peek().is_some() {
            if let (Some((left, _)), Some((right, _))) = (old.peek(), new.peek()) {
                if left == right {
                    done.insert(left);
                    merged.extend(merged_item(left));
                    old.next();
                    new.next();
                    preferred = shared.pop_front();
                    continue;
                }
                let is_awaited = preferred.is_none_or(|next| next == left);
                if applied.by_step.contains_key(left) && !is_awaited {
                    // The element follows later.
                    old.next();
                    continue;
                }
            }
            if let Some((step, item)) = old.peek() {
                if !applied.by_step.contains_key(step) {
                    merged.extend(self.merged(Some(item), None, list.element));
                    old.next();
                    continue;
                }
                if done.contains(step) {
                    old.next();
                }
            }
            if let Some((step, _)) = new.next() {
                done.insert(step);
                merged.extend(merged_item(step));
                if preferred == Some(step) {
                    preferred = shared.pop_front();
                }
            }
        }
        merged
    }
}
