//! Walks of one document along its schema: its fields, and its violations.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::element::Element;
use super::set::Set;
use super::types::{Kind, ListType, MapType, TypeId, Types};
use crate::document::json_type;

/// Collects the fields of one document.
struct Fields<'a> {
    types: &'a Types,
    path: Vec<Element>,
    set: Set,
}

/// Collects the violations of one document.
struct Check<'a> {
    types: &'a Types,
    allow_duplicates: bool,
    path: String,
    problems: Vec<String>,
}

// === impl Types ===

impl Types {
    /// Returns every leaf, and every element of a list or map, of `document`.
    pub(crate) fn fields(&self, document: &Value) -> Set {
        let mut fields = Fields {
            types: self,
            path: Vec::new(),
            set: Set::default(),
        };
        fields.value(document, self.root);
        fields.set
    }

    /// Checks `document` against the schema, with the error messages of the Go library.
    pub(crate) fn check(&self, document: &Value, allow_duplicates: bool) -> Result<(), String> {
        let mut check = Check {
            types: self,
            allow_duplicates,
            path: String::new(),
            problems: Vec::new(),
        };
        check.value(document, self.root);
        match check.problems.as_slice() {
            [] => Ok(()),
            [one] => Err(one.clone()),
            many => Err(format!("errors:\n  {}", many.join("\n  "))),
        }
    }
}

// === impl Fields ===

impl Fields<'_> {
    fn value(&mut self, value: &Value, of: TypeId) {
        match self.types.atom(of).kind(Some(value)) {
            Some(Kind::Map(map)) => self.map(map, value.as_object()),
            Some(Kind::List(list)) => self.list(list, value.as_array()),
            Some(Kind::Scalar(_)) => self.set.insert(&self.path),
            None => {}
        }
    }

    fn map(&mut self, map: &MapType, members: Option<&Map<String, Value>>) {
        if map.atomic {
            self.set.insert(&self.path);
            return;
        }
        for (name, value) in members.into_iter().flatten() {
            let Some(of) = map.of(name) else { continue };
            self.path.push(Element::field(name.as_str()));
            self.value(value, of);
            let empty = value.as_object().is_some_and(Map::is_empty);
            if value.is_null() || empty || !map.fields.contains_key(name) {
                self.set.insert(&self.path);
            }
            self.path.pop();
        }
    }

    fn list(&mut self, list: &ListType, items: Option<&Vec<Value>>) {
        if !list.associative {
            self.set.insert(&self.path);
            return;
        }
        let mut elements = Vec::new();
        for item in items.into_iter().flatten() {
            if let Ok(step) = self.types.element(list, item) {
                elements.push((step, item));
            }
        }
        let mut seen = BTreeSet::new();
        let mut duplicates = BTreeSet::new();
        for (step, _) in &elements {
            if !seen.insert(step) {
                duplicates.insert(step);
            }
        }
        for (step, item) in &elements {
            self.path.push(step.clone());
            // Duplicate elements are owned as one value.
            if !duplicates.contains(step) {
                self.value(item, list.element);
            }
            self.set.insert(&self.path);
            self.path.pop();
        }
    }
}

// === impl Check ===

impl Check<'_> {
    fn report(&mut self, message: &str) {
        let problem = match self.path.as_str() {
            "" => message.to_owned(),
            path => format!("{path}: {message}"),
        };
        self.problems.push(problem);
    }

    fn below(&mut self, step: &Element, value: &Value, of: TypeId) {
        let length = self.path.len();
        self.path.push_str(&step.to_string());
        self.value(value, of);
        self.path.truncate(length);
    }

    fn value(&mut self, value: &Value, of: TypeId) {
        let types = self.types;
        match types.atom(of).kind(Some(value)) {
            Some(Kind::Map(map)) => match value {
                Value::Null => {}
                Value::Object(members) => self.map(map, members),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                    self.report(&format!("expected map, got {}", json_type(value)));
                }
            },
            Some(Kind::List(list)) => match value {
                Value::Null => {}
                Value::Array(items) => self.list(list, items),
                Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
                    self.report(&format!("expected list, got {}", json_type(value)));
                }
            },
            Some(Kind::Scalar(scalar)) => {
                if let Some(problem) = scalar.problem(value) {
                    self.report(&problem);
                }
            }
            None => {}
        }
    }

    fn map(&mut self, map: &MapType, members: &Map<String, Value>) {
        for (name, value) in members {
            let step = Element::field(name.as_str());
            if let Some(of) = map.of(name) {
                self.below(&step, value, of);
            } else {
                let length = self.path.len();
                self.path.push_str(&step.to_string());
                self.report("field not declared in schema");
                self.path.truncate(length);
                return;
            }
        }
    }

    fn list(&mut self, list: &ListType, items: &[Value]) {
        let mut seen = BTreeSet::new();
        for (at, item) in items.iter().enumerate() {
            if !list.associative {
                let index = i64::try_from(at).unwrap_or(i64::MAX);
                self.below(&Element::Index(index), item, list.element);
                continue;
            }
            let step = match self.types.element(list, item) {
                Ok(step) => step,
                Err(error) => {
                    self.report(&format!("element {at}: {error}"));
                    return;
                }
            };
            self.below(&step, item, list.element);
            let is_first = seen.insert(step.clone());
            if !is_first && !self.allow_duplicates {
                self.report(&format!("duplicate entries for key {step}"));
            }
        }
    }
}
