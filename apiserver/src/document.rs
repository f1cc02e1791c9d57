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
