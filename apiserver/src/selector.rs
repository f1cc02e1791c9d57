//! Label and field selectors, evaluated on stored objects.
//!
//! A path that leads nowhere is the empty string, and numbers and booleans compare as they print.

mod fields;
mod labels;

use std::borrow::Cow;

use serde_json::Value;

use crate::route::Target;
use crate::status::ApiError;
use crate::store::{Stored, metadata};

/// The conditions of one list or watch.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selector {
    labels: Vec<LabelTerm>,
    fields: Vec<FieldTerm>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct LabelTerm {
    key: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    Absent,
    Above(i64),
    Below(i64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct FieldTerm {
    path: Vec<String>,
    value: String,
    equal: bool,
}

// === impl Selector ===

impl Selector {
    /// Parses `labelSelector` and `fieldSelector`.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, ApiError> {
        let labels = labels::parse(labels).map_err(ApiError::bad_request)?;
        let fields = fields::parse(fields).map_err(ApiError::bad_request)?;
        Ok(Self { labels, fields })
    }

    /// Refuses fields that the target's objects cannot be selected by.
    pub(crate) fn check(&self, target: &Target) -> Result<(), ApiError> {
        fields::check(&target.resource, &target.version, &self.fields)
    }

    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        if self.is_everything() {
            return true;
        }
        let labels = metadata(&object.members).and_then(|metadata| metadata.get("labels"));
        self.labels.iter().all(|term| {
            let value = labels
                .and_then(|labels| labels.get(&term.key))
                .and_then(Value::as_str);
            term.test.accepts(value)
        }) && self
            .fields
            .iter()
            .all(|term| (field(object, &term.path) == term.value) == term.equal)
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value?.parse::<i64>().ok();
        match self {
            Self::In(values) => value.is_some_and(|v| values.iter().any(|wanted| wanted == v)),
            Self::NotIn(values) => !value.is_some_and(|v| values.iter().any(|not| not == v)),
            Self::Exists => value.is_some(),
            Self::Absent => value.is_none(),
            Self::Above(limit) => number().is_some_and(|n| n > *limit),
            Self::Below(limit) => number().is_some_and(|n| n < *limit),
        }
    }
}

fn field<'a>(object: &'a Stored, path: &[String]) -> Cow<'a, str> {
    // An object's identity holds even where an injected document says otherwise.
    match path {
        [metadata, name] if metadata == "metadata" && name == "name" => {
            return Cow::Borrowed(&object.name);
        }
        [metadata, namespace] if metadata == "metadata" && namespace == "namespace" => {
            return Cow::Borrowed(&object.namespace);
        }
        _ => {}
    }
    let Some((first, rest)) = path.split_first() else {
        return Cow::Borrowed("");
    };
    let start = object.members.get(first);
    let found = rest
        .iter()
        .fold(start, |value, step| value.and_then(|value| value.get(step)));
    match found {
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Cow::Owned(value.to_string()),
        Some(Value::Null | Value::Array(_) | Value::Object(_)) | None => Cow::Borrowed(unset(path)),
    }
}

/// What a field prints as that is not there: the zero of its type.
fn unset(path: &[String]) -> &'static str {
    match path.last().map(String::as_str) {
        Some("hostNetwork" | "unschedulable") => "false",
        Some("successful") => "0",
        _ => "",
    }
}

#[cfg(test)]
mod tests;
