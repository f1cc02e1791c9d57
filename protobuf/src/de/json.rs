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
    let json = text.trim_ascii();
    match json.first() {
        Some(b'{') => {
            let JsonMembers(members) = parse(json)?;
            Ok(Form::Map(Members::of_json(members, context)?))
        }
        Some(b'[') => {
            let elements: Vec<&RawValue> = parse(json)?;
            let texts = elements.into_iter().map(|one| one.get().as_bytes());
            Ok(Form::Seq(Elements::of_json(texts.collect(), context)?))
        }
        Some(b'"') => match parse(json)? {
            Text(Cow::Borrowed(text)) => Ok(Form::Str(text)),
            Text(Cow::Owned(text)) => Ok(Form::String(text)),
        },
        Some(b't' | b'f') => Ok(Form::Bool(parse(json)?)),
        Some(b'n') => {
            parse::<()>(json)?;
            Ok(Form::Null)
        }
        _ => {
            let number: serde_json::Number = parse(json)?;
            Ok(Form::Number(number_of(&number)))
        }
    }
}

fn number_of(number: &serde_json::Number) -> Number {
    if let Some(int) = number.as_i64() {
        Number::Int(int)
    } else if let Some(int) = number.as_u64() {
        Number::UInt(int)
    } else {
        Number::Float(number.as_f64().unwrap_or(f64::NAN))
    }
}

/// Reads a whole text in one pass.
pub(super) fn any<'de, V>(text: &'de [u8], visitor: V) -> Result<V::Value, Error>
where
    V: Visitor<'de>,
{
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
    fn deserialize<D>(deserializer: D) -> Result<Self, D::Error>
    where
        D: Deserializer<'de>,
    {
        struct ObjectVisitor;

        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = JsonMembers<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A>(self, mut map: A) -> Result<JsonMembers<'de>, A::Error>
            where
                A: MapAccess<'de>,
            {
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
    fn deserialize<D>(deserializer: D) -> Result<Self, D::Error>
    where
        D: Deserializer<'de>,
    {
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
