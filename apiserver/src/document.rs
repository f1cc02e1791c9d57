//! Small help with JSON documents.

mod parse;

use serde_json::Value;

pub(crate) use self::parse::parse;

/// Sets `field` of `document`, which is an object that we have just made.
pub(crate) fn set(document: &mut Value, field: &str, value: impl Into<Value>) {
    if let Some(members) = document.as_object_mut() {
        members.insert(field.to_owned(), value.into());
    }
}

/// The texts in the list `field` of `document`; none where there is no such list.
pub(crate) fn texts(document: &Value, field: &str) -> Vec<String> {
    let list = document.get(field).and_then(Value::as_array);
    let texts = list.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}
