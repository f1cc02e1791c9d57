//! JSON texts inside objects: `RawExtension`, `FieldsV1`, and the defaults of schemas.
//!
//! Read one level at a time, so that a typed value inside does not instantiate its visitor a second
//! time. A visitor that accepts any value gets it from `serde_json` in one pass.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Context;
use super::elements::Elements;
use super::members::Members;
use super::value::{Form, Number};
use crate::error::{Error, ErrorKind};

/// Returns the form of a JSON text, down to the next level.
pub(super) fn form(text: &[u8], context: Context) -> Result<Form<'_>, Error> {
    let text = text.trim_ascii();
    Ok(match text.first() {
        Some(b'{') => {
            let JsonMembers(members) = parse(text)?;
            Form::Map(Members::of_json(members, context)?)
        }
        Some(b'[') => {
            let texts: Vec<&RawValue> = parse(text)?;
            let texts = texts.into_iter().map(|text| text.get().as_bytes());
            Form::Seq(Elements::of_json(texts.collect(), context)?)
        }
        Some(b'"') => {
            let Text(text) = parse(text)?;
            match text {
                Cow::Borrowed(text) => Form::Str(text),
                Cow::Owned(text) => Form::String(text),
            }
        }
        Some(b't' | b'f') => Form::Bool(parse(text)?),
        Some(b'n') => {
            parse::<()>(text)?;
            Form::Null
        }
        _ => {
            let number: serde_json::Number = parse(text)?;
            if let Some(number) = number.as_i64() {
                Form::Number(Number::Int(number))
            } else if let Some(number) = number.as_u64() {
                Form::Number(Number::UInt(number))
            } else {
                Form::Number(Number::Float(number.as_f64().unwrap_or(f64::NAN)))
            }
        }
    })
}

/// Reads a whole text in one pass.
pub(super) fn any<'de, V: Visitor<'de>>(text: &'de [u8], visitor: V) -> Result<V::Value, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = deserializer.deserialize_any(visitor).map_err(error)?;
    deserializer.end().map_err(error)?;
    Ok(value)
}

fn parse<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(error)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the signature is that of a function for map_err"
)]
fn error(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Json(error.to_string()))
}

/// Members of an object, in their order.
struct JsonMembers<'de>(Vec<(Cow<'de, str>, &'de [u8])>);

/// A string, borrowed if it has no escapes.
struct Text<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for JsonMembers<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = JsonMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> Result<JsonMembers<'de>, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(name), value)) = map.next_entry::<Text<'de>, &RawValue>()? {
                    members.push((name, value.get().as_bytes()));
                }
                Ok(JsonMembers(members))
            }
        }

        deserializer.deserialize_map(ObjectVisitor)
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}
