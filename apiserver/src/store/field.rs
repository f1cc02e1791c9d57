//! Fields of stored objects for field selectors.
//!
//! Objects are stored as bytes. The first selector that asks for a field decodes the object; the
//! result is kept beside it.

use parking_lot::Mutex;
use serde_json::Value;

/// Fields of one object that selectors have asked for. Their number is limited by the selectable
/// fields of the kind.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Vec<Field>>);

#[derive(Debug)]
struct Field {
    path: Box<[String]>,
    /// Text of a string, a number or a bool; `None` for everything else.
    value: Option<Box<str>>,
}

/// Returns the text of the field at `path`.
pub(super) fn find(document: &[u8], path: &[String]) -> Option<Box<str>> {
    let decoded: Value = serde_json::from_slice(document).ok()?;
    let mut found = &decoded;
    for name in path {
        found = found.get(name)?;
    }
    match found {
        Value::String(text) => Some(text.as_str().into()),
        Value::Bool(_) | Value::Number(_) => Some(found.to_string().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

// === impl Known ===

impl Known {
    /// Calls `read` with the field at `path`.
    pub(super) fn with<R>(
        &self,
        document: &[u8],
        path: &[String],
        read: impl FnOnce(Option<&str>) -> R,
    ) -> R {
        let mut cached = self.0.lock();
        if let Some(field) = cached.iter().find(|field| *field.path == *path) {
            return read(field.value.as_deref());
        }
        let value = find(document, path);
        let result = read(value.as_deref());
        cached.push(Field {
            path: path.into(),
            value,
        });
        result
    }
}
