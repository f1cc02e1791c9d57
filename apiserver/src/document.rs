//! Small help with JSON documents.

use serde_json::Value;

/// Sets `field` of `document`, which is an object that we have just made.
pub(crate) fn set(document: &mut Value, field: &str, value: impl Into<Value>) {
    if let Some(members) = document.as_object_mut() {
        members.insert(field.to_owned(), value.into());
    }
}
