//! Comparison of two documents: added, modified and removed fields.

use std::collections::BTreeMap;
use std::mem::discriminant;

use serde_json::{Map, Value};

use super::element::Element;
use super::set::Set;
use super::types::{Kind, ListType, MapType, TypeId, Types};

/// Differences of two documents. No path is in more than one of the sets.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) removed: Set,
    pub(crate) modified: Set,
    pub(crate) added: Set,
}

struct Walk<'a> {
    types: &'a Types,
    path: Vec<Element>,
    found: Comparison,
}

/// Elements of both lists that have the same key.
#[derive(Default)]
struct Sides<'a> {
    before: Vec<&'a Value>,
    after: Vec<&'a Value>,
}

fn has(members: Option<&Map<String, Value>>, name: &str) -> bool {
    match members {
        Some(members) => members.contains_key(name),
        None => false,
    }
}

// === impl Comparison ===

impl Comparison {
    /// Compares two documents of the type `types`.
    pub(crate) fn of(
        types: &Types,
        before: &Map<String, Value>,
        after: &Map<String, Value>,
    ) -> Self {
        let mut walk = Walk {
            types,
            path: Vec::new(),
            found: Self::default(),
        };
        if let Some(map) = &types.atom(types.root).map {
            walk.map(map, Some(before), Some(after));
        }
        walk.found
    }

    /// Returns the differences outside of the paths of `ignored`.
    pub(crate) fn without(self, ignored: &Set) -> Self {
        if ignored.is_empty() {
            return self;
        }
        Self {
            removed: self.removed.without(ignored),
            modified: self.modified.without(ignored),
            added: self.added.without(ignored),
        }
    }
}

// === impl Walk ===

impl Walk<'_> {
    fn value(&mut self, before: Option<&Value>, after: Option<&Value>, of: TypeId) {
        // Equal values need no comparison of their parts.
        if before == after {
            return;
        }
        let types = self.types;
        let atom = types.atom(of);
        let Some(then) = atom.kind(before) else {
            return;
        };
        let Some(now) = atom.kind(after) else {
            return;
        };
        let is_leaf = if after.is_none() {
            self.kind(then, before, after)
        } else {
            if before.is_some() && discriminant(&then) != discriminant(&now) {
                self.kind(then, before, after);
            }
            self.kind(now, before, after)
        };
        if is_leaf {
            return;
        }
        if before.is_none() {
            self.found.added.insert(&self.path);
        } else if after.is_none() {
            self.found.removed.insert(&self.path);
        }
    }

    /// Compares two values of one kind; returns `true` if they are leaves (atomic values).
    fn kind(&mut self, kind: Kind<'_>, before: Option<&Value>, after: Option<&Value>) -> bool {
        let is_leaf = match kind {
            Kind::Scalar(_) => true,
            Kind::Map(map) => {
                let then = before.and_then(Value::as_object);
                let now = after.and_then(Value::as_object);
                let has_none = then.is_none_or(Map::is_empty) && now.is_none_or(Map::is_empty);
                let is_atomic = map.atomic || has_none;
                if !is_atomic {
                    self.map(map, then, now);
                }
                is_atomic
            }
            Kind::List(list) => {
                let then = before.and_then(Value::as_array);
                let now = after.and_then(Value::as_array);
                let has_none = then.is_none_or(Vec::is_empty) && now.is_none_or(Vec::is_empty);
                let is_atomic = !list.associative || has_none;
                if !is_atomic {
                    self.list(list, then, now);
                }
                is_atomic
            }
        };
        if is_leaf {
            self.leaf(before, after);
        }
        is_leaf
    }

    fn leaf(&mut self, before: Option<&Value>, after: Option<&Value>) {
        match (before, after) {
            (None, _) => self.found.added.insert(&self.path),
            (_, None) => self.found.removed.insert(&self.path),
            (Some(before), Some(after)) if before != after => {
                self.found.modified.insert(&self.path);
            }
            _ => {}
        }
    }

    fn map(
        &mut self,
        map: &MapType,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) {
        for (name, _) in before.into_iter().flatten() {
            if !has(after, name) {
                self.member(map, name, before, after);
            }
        }
        for (name, _) in after.into_iter().flatten() {
            self.member(map, name, before, after);
        }
        // If only one side exists, a struct that it omits still counts.
        if before.is_none() != after.is_none() {
            for name in &map.structs {
                if !has(before, name) && !has(after, name) {
                    self.member(map, name, before, after);
                }
            }
        }
    }

    fn member(
        &mut self,
        map: &MapType,
        name: &str,
        before: Option<&Map<String, Value>>,
        after: Option<&Map<String, Value>>,
    ) {
        let then = map.member(before, name);
        let now = map.member(after, name);
        if then == now {
            return;
        }
        if let Some(of) = map.of(name) {
            self.path.push(Element::field(name));
            self.value(then, now, of);
            self.path.pop();
        }
    }

    fn list(&mut self, list: &ListType, before: Option<&Vec<Value>>, after: Option<&Vec<Value>>) {
        let mut items: BTreeMap<Element, Sides<'_>> = BTreeMap::new();
        for value in before.into_iter().flatten() {
            if let Ok(step) = self.types.element(list, value) {
                items.entry(step).or_default().before.push(value);
            }
        }
        for value in after.into_iter().flatten() {
            if let Ok(step) = self.types.element(list, value) {
                items.entry(step).or_default().after.push(value);
            }
        }
        for (step, sides) in items {
            self.path.push(step);
            self.item(list.element, &sides.before, &sides.after);
            self.path.pop();
        }
    }

    /// Compares the elements with one key; several elements with equal keys form one value.
    fn item(&mut self, of: TypeId, before: &[&Value], after: &[&Value]) {
        match (before, after) {
            ([] | [_], [] | [_]) => {
                self.value(before.first().copied(), after.first().copied(), of);
            }
            ([_, _, ..], [_, _, ..]) => {
                if before != after {
                    self.found.modified.insert(&self.path);
                }
            }
            ([_, _, ..], _) => {
                if let Some(now) = after.first() {
                    self.value(None, Some(now), of);
                }
                self.found.removed.insert(&self.path);
            }
            (_, [_, _, ..]) => {
                if let Some(then) = before.first() {
                    self.value(Some(then), None, of);
                }
                self.found.added.insert(&self.path);
            }
        }
    }
}
