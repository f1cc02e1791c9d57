//! Fields of scalable kinds that a `Scale` shows.

use serde_json::{Map, Value, json};

use crate::document::{Members, str_of, texts};

/// Paths of the fields that a `Scale` shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScalePaths {
    pub(crate) spec: Vec<String>,
    pub(crate) status: Vec<String>,
    /// Path of a selector string; built-in kinds have a structured selector in their spec instead.
    selector: Option<Vec<String>>,
    pub(crate) custom: bool,
}

// === impl ScalePaths ===

impl ScalePaths {
    /// Returns the paths of the scalable built-in kinds.
    pub(crate) fn built_in() -> Self {
        Self {
            spec: path(".spec.replicas"),
            status: path(".status.replicas"),
            selector: None,
            custom: false,
        }
    }

    /// Returns the paths of a definition.
    pub(crate) fn custom(spec: &str, status: &str, selector: Option<&str>) -> Self {
        Self {
            spec: path(spec),
            status: path(status),
            selector: selector.map(path),
            custom: true,
        }
    }

    pub(crate) fn selector(&self, members: &Members) -> String {
        if let Some(path) = &self.selector {
            return str_of(find(members, path)).to_owned();
        }
        let spec = members.get("spec");
        match spec.and_then(|spec| spec.get("selector")) {
            Some(selector) if !self.custom => selector_text(selector),
            _ => String::new(),
        }
    }
}

fn path(text: &str) -> Vec<String> {
    text.split('.')
        .filter(|step| !step.is_empty())
        .map(str::to_owned)
        .collect()
}

pub(crate) fn find<'a>(members: &'a Members, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let mut value = members.get(first)?;
    for step in rest {
        value = value.get(step)?;
    }
    Some(value)
}

pub(crate) fn put(members: &mut Map<String, Value>, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => {
            members.insert(last.clone(), value);
        }
        [first, rest @ ..] => {
            let next = members.entry(first.clone()).or_insert_with(|| json!({}));
            if let Some(next) = next.as_object_mut() {
                put(next, rest, value);
            }
        }
    }
}

/// Formats a label selector, or a map of labels, as one string in the order of the keys:
/// `a=b,c in (d,e),!f`.
pub(crate) fn selector_text(selector: &Value) -> String {
    let equal = selector.get("matchLabels");
    let sets = selector.get("matchExpressions").and_then(Value::as_array);
    let labels = match (equal, sets) {
        (None, None) => Some(selector),
        _ => equal,
    };
    let mut terms = Vec::new();
    if let Some(Value::Object(labels)) = labels {
        for (key, value) in labels {
            if let Some(value) = value.as_str() {
                let text = format!("{key}={value}");
                terms.push(PrintedTerm { key, text });
            }
        }
    }
    for set in sets.into_iter().flatten() {
        terms.push(set_term(set));
    }
    terms.sort_unstable();
    let mut texts = Vec::new();
    for term in terms {
        texts.push(term.text);
    }
    texts.join(",")
}

/// A term of a selector. Terms are in the order of their keys.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PrintedTerm<'a> {
    key: &'a str,
    text: String,
}

/// Formats one of `matchExpressions`.
fn set_term(set: &Value) -> PrintedTerm<'_> {
    let key = str_of(set.get("key"));
    let mut values = texts(set, "values");
    values.sort_unstable();
    let list = values.join(",");
    let text = match str_of(set.get("operator")) {
        "In" => format!("{key} in ({list})"),
        "NotIn" => format!("{key} notin ({list})"),
        "DoesNotExist" => format!("!{key}"),
        _ => key.to_owned(),
    };
    PrintedTerm { key, text }
}
