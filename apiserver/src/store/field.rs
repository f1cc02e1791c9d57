//! One field of an encoded document, found without decoding the rest.

use std::fmt;

use parking_lot::Mutex;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The fields of one object that selectors have asked for: as many as can be selected by, which
/// are a few. All watchers with a field selector look at each event, and few of them at another
/// field.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Vec<Field>>);

#[derive(Debug)]
struct Field {
    path: Box<[String]>,
    value: Option<Box<str>>,
}

/// What is at `path` in `document` as a selector sees it: texts as they are, numbers and booleans
/// as they print, nothing for anything else.
pub(super) fn find(document: &[u8], path: &[String]) -> Option<Box<str>> {
    let mut document = serde_json::Deserializer::from_slice(document);
    At(path).deserialize(&mut document).ok().flatten()
}

// === impl Known ===

impl Known {
    /// Calls `read` with the field at `path` of `document`, which is always the same.
    pub(super) fn with<R>(
        &self,
        document: &[u8],
        path: &[String],
        read: impl FnOnce(Option<&str>) -> R,
    ) -> R {
        let mut known = self.0.lock();
        if let Some(field) = known.iter().find(|field| *field.path == *path) {
            return read(field.value.as_deref());
        }
        let value = find(document, path);
        let answer = read(value.as_deref());
        known.push(Field {
            path: path.into(),
            value,
        });
        answer
    }
}

/// Goes down a path.
struct At<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<Box<str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl At<'_> {
    /// What is found where the path ends; on the way a plain value leads nowhere.
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
        // As a document prints it, with the point.
        Ok(self.end(|| serde_json::Value::from(value).to_string().into()))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
