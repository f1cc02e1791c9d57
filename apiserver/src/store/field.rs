//! Reads one field of an encoded document without decoding the rest.

use std::fmt;

use parking_lot::Mutex;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Cached fields of one object, by path. Selectors can name few different paths, so the list stays
/// short. Every watcher with a field selector reads each event, and most of them read the same
/// field.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Vec<Field>>);

#[derive(Debug)]
struct Field {
    path: Box<[String]>,
    value: Option<Box<str>>,
}

/// Returns the value at `path` in `document` as a selector compares it: a string as it is, a number
/// or boolean in its printed form, and `None` for any other value.
pub(super) fn find(document: &[u8], path: &[String]) -> Option<Box<str>> {
    let mut document = serde_json::Deserializer::from_slice(document);
    At(path).deserialize(&mut document).ok().flatten()
}

// === impl Known ===

impl Known {
    /// Calls `read` with the field at `path` of `document`. `document` has to be the same at each
    /// call.
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

/// Visitor that descends along a path.
struct At<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Box<str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl At<'_> {
    /// Returns the value if the path ends here; a scalar in the middle of a path has no members.
    fn end(&self, value: impl FnOnce() -> Box<str>) -> Option<Box<str>> {
        self.0.is_empty().then(value)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<Box<str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Self::Value, M::Error> {
        let mut found = None;
        while let Some(name) = members.next_key::<std::borrow::Cow<'de, str>>()? {
            match self.0.split_first() {
                Some((first, rest)) if *first == name => {
                    found = members.next_value_seed(At(rest))?;
                }
                _ => _ = members.next_value::<IgnoredAny>()?,
            }
        }
        Ok(found)
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<Self::Value, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(self.end(|| text.into()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Ok(self.end(|| value.to_string().into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Ok(self.end(|| value.to_string().into()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Ok(self.end(|| value.to_string().into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        // Printed as in a document, with the decimal point.
        Ok(self.end(|| serde_json::Value::from(value).to_string().into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
