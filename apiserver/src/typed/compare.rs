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
        let kinds = (atom.kind(before), atom.kind(after));
        let (Some(then), Some(now)) = kinds else {
            return;
        };
        let is_leaf = match (before, after) {
            (_, None) => self.kind(then, before, after),
            (None, Some(_)) => self.kind(now, before, after),
            _ => {
                if discriminant(&then) != discriminant(&now) {
                    self.kind(then, before, after);
                }
                self.kind(now, before, after)
            }
        };
        if !is_leaf && before.is_none() {
            self.found.added.insert(&self.path);
        } else if !is_leaf && after.is_none() {
            self.found.removed.insert(&self.path);
        }
    }

    /// Compares two values of one kind; returns `true` if they are leaves (atomic values).
    fn kind(&mut self, kind: Kind<'_>, before: Option<&Value>, after: Option<&Value>) -> bool {
        let is_leaf = match kind {
            Kind::Scalar(_) => true,
            Kind::Map(map) => {
                let [before, after] = [before, after].map(|v| v.and_then(Value::as_object));
                let empty = |members: Option<&Map<_, _>>| members.is_none_or(Map::is_empty);
                if map.atomic || (empty(before) && empty(after)) {
                    true
                } else {
                    self.map(map, before, after);
                    false
                }
            }
            Kind::List(list) => {
                let [before, after] = [before, after].map(|v| v.and_then(Value::as_array));
                let empty = |items: Option<&Vec<_>>| items.is_none_or(Vec::is_empty);
                if !list.associative || (empty(before) && empty(after)) {
                    true
                } else {
                    self.list(list, before, after);
                    false
                }
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
        let removed = before
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .filter(|name| after.is_none_or(|after| !after.contains_key(*name)));
        let remaining = after.into_iter().flatten().map(|(name, _)| name);
        // If only one side exists, a struct that it omits still counts.
        let is_one_sided = before.is_none() != after.is_none();
        let unwritten = map.structs.iter().filter(|name| {
            let is_written = |members: Option<&Map<String, Value>>| {
                members.is_some_and(|members| members.contains_key(*name))
            };
            is_one_sided && !is_written(before) && !is_written(after)
        });
        for name in removed.chain(remaining).chain(unwritten) {
            let before = map.member(before, name);
            let after = map.member(after, name);
            if before == after {
                continue;
            }
            if let Some(of) = map.of(name) {
                self.path.push(Element::field(name.as_str()));
                self.value(before, after, of);
                self.path.pop();
            }
        }
    }

    fn list(&mut self, list: &ListType, before: Option<&Vec<Value>>, after: Option<&Vec<Value>>) {
        let mut items: BTreeMap<Element, [Vec<&Value>; 2]> = BTreeMap::new();
        for (side, values) in [before, after].into_iter().enumerate() {
            for value in values.into_iter().flatten() {
                if let Ok(step) = self.types.element(list, value)
                    && let Some(found) = items.entry(step).or_default().get_mut(side)
                {
                    found.push(value);
                }
            }
        }
        for (step, [before, after]) in items {
            self.path.push(step);
            self.item(list.element, &before, &after);
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
