//! Reads the values at a path from any deserializer, without decoding other values.

use std::fmt;

use crate::wire::kind::Kind;
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Returns the scalars at a path as text, in the order of the document and in the form of the JSON
/// encoding.
///
/// # Errors
///
/// Fails if the bytes are malformed, or if the path ends at an object.
pub(in crate::wire) fn at_path(
    kind: &'static Kind,
    object: &[u8],
    names: &[Box<str>],
) -> Result<Vec<String>, &'static str> {
    let mut values = Values::default();
    let walk = Walk {
        names,
        values: &mut values,
    };
    match walk.deserialize(kind.deserializer(object)) {
        _ if values.ends_at_object => Err("the path ends at an object, not at a scalar"),
        Ok(()) => Ok(values.texts),
        Err(error) if error.is_unusual() => Err("the protobuf message has an unusual form"),
        Err(_) => Err("the protobuf message is malformed"),
    }
}

#[derive(Default)]
struct Values {
    texts: Vec<String>,
    ends_at_object: bool,
}

/// Remaining path at one position.
struct Walk<'a> {
    names: &'a [Box<str>],
    values: &'a mut Values,
}

/// Deserializes a key into whether it equals this name.
struct IsName<'a>(&'a str);

// === impl Walk ===

impl Walk<'_> {
    fn scalar(self, text: impl Into<String>) {
        // A scalar has no fields, so a longer path selects nothing.
        if self.names.is_empty() {
            self.values.texts.push(text.into());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.scalar(value.to_string());
        Ok(())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.scalar(value.to_string());
        Ok(())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.scalar(value.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        if let Some(number) = serde_json::Number::from_f64(value) {
            self.scalar(number.to_string());
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.scalar(value);
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_none<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        loop {
            let element = Walk {
                names: self.names,
                values: &mut *self.values,
            };
            if elements.next_element_seed(element)?.is_none() {
                return Ok(());
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Some((name, rest)) = self.names.split_first() else {
            self.values.ends_at_object = true;
            while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(());
        };
        let before = self.values.texts.len();
        while let Some(matches) = members.next_key_seed(IsName(name))? {
            if matches {
                // Among members with the same name, the last one counts.
                self.values.texts.truncate(before);
                members.next_value_seed(Walk {
                    names: rest,
                    values: &mut *self.values,
                })?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

// === impl IsName ===

impl<'de> DeserializeSeed<'de> for IsName<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for IsName<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        Ok(name == self.0)
    }
}
