//! Marks the content of documents, so that tests can detect it in errors.

use serde_json::{Map, Value};

/// Text that is inserted into each string of a document.
const MARK: &str = "hunter2";
/// Number that replaces each number.
const NUMBER: u64 = 987_654_321;
/// Members of an object and of its metadata that errors may show: type, key and version.
const TYPE: [&str; 2] = ["apiVersion", "kind"];
const KEY: [&str; 4] = ["name", "namespace", "uid", "resourceVersion"];

/// Marks the values of an object, except those that identify it. Names of members stay unchanged.
pub(super) fn object(object: &Value) -> Value {
    let Value::Object(members) = object else {
        return value(object);
    };
    let mut marked = all_but(members, &[&TYPE[..], &["metadata"]].concat());
    if let Some(Value::Object(metadata)) = members.get("metadata") {
        marked.insert("metadata".to_owned(), all_but(metadata, &KEY).into());
    }
    marked.into()
}

fn all_but(members: &Map<String, Value>, names: &[&str]) -> Map<String, Value> {
    let members = members.iter().map(|(name, member)| {
        let is_kept = names.contains(&name.as_str());
        let member = if is_kept {
            member.clone()
        } else {
            value(member)
        };
        (name.clone(), member)
    });
    members.collect()
}

fn value(content: &Value) -> Value {
    match content {
        Value::Null | Value::Bool(_) => content.clone(),
        Value::Number(_) => NUMBER.into(),
        Value::String(content) => text(content).into(),
        Value::Array(elements) => elements.iter().map(value).collect(),
        Value::Object(members) => all_but(members, &[]).into(),
    }
}

/// Inserts the mark into the middle of a text, so that the surrounding text keeps its syntax.
pub(super) fn text(content: &str) -> String {
    let middle = content.len() / 2;
    let mut places = middle..=content.len();
    let at = places.find(|&at| content.is_char_boundary(at));
    let (start, end) = content.split_at(at.unwrap_or_default());
    format!("{start}{MARK}{end}")
}

/// Panics if `shown` contains a marked value.
#[track_caller]
pub(super) fn is_absent_from(shown: &str) {
    let is_shown = shown.contains(MARK) || shown.contains(&NUMBER.to_string());
    assert!(!is_shown, "the text shows a value: {shown}");
}
