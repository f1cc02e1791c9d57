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
        match &self.selector {
            Some(path) => str_of(find(members, path)).to_owned(),
            None if self.custom => String::new(),
            None => members
                .get("spec")
                .and_then(|spec| spec.get("selector"))
                .map_or_else(String::new, selector_text),
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
    let start = members.get(first)?;
    rest.iter().try_fold(start, |at, step| at.get(step))
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
    let mut terms: Vec<(&str, String)> = labels
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key.as_str(), format!("{key}={}", value.as_str()?))))
        .collect();
    terms.extend(sets.into_iter().flatten().map(set_term));
    terms.sort_unstable();
    let texts: Vec<String> = terms.into_iter().map(|(_, text)| text).collect();
    texts.join(",")
}

/// Formats one of `matchExpressions`, and returns it with its key.
fn set_term(set: &Value) -> (&str, String) {
    let key = str_of(set.get("key"));
    let mut values = texts(set, "values");
    values.sort_unstable();
    let list = values.join(",");
    let term = match str_of(set.get("operator")) {
        "In" => format!("{key} in ({list})"),
        "NotIn" => format!("{key} notin ({list})"),
        "DoesNotExist" => format!("!{key}"),
        _ => key.to_owned(),
    };
    (key, term)
}
