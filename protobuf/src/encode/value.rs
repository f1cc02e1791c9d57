//! Encoding of JSON values as the records of a message.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use crate::error::{Error, Segment};
use crate::tables::{Field, Message, Shape};
use crate::time::Timestamp;
use crate::wire::{WireType, put_bytes, put_nested, put_tag, put_varint};

/// The same as the decoder's.
pub(super) const MAX_DEPTH: u8 = 128;

type Out = Vec<u8>;

/// Writes the fields of a message. Like Go, omits unknown members.
pub(super) fn put_message(
    out: &mut Out,
    message: Message,
    object: &Map<String, Value>,
    depth: u8,
) -> Result<(), Error> {
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| Error::new(crate::ErrorKind::TooDeep))?;
    for field in message.fields() {
        if field.is_inline() {
            put_nested(out, field.number(), |out| {
                put_message(out, field.target(), object, depth)
            })?;
            continue;
        }
        let value = object.get(field.name()).unwrap_or(&Value::Null);
        put_field(out, field, value, depth)
            .map_err(|error| error.inside(Segment::Field(field.name())))?;
    }
    Ok(())
}

fn put_field(out: &mut Out, field: Field, value: &Value, depth: u8) -> Result<(), Error> {
    let number = field.number();
    if field.is_map() {
        let Some(members) = nullable(value, Value::as_object, "an object")? else {
            return Ok(());
        };
        let mut members: Vec<_> = members.iter().collect();
        members.sort_by(|a, b| a.0.cmp(b.0));
        for (key, value) in members {
            put_nested(out, number, |out| {
                put_bytes(out, 1, key.as_bytes());
                put_value(out, 2, field, value, depth)
            })
            .map_err(|error| error.inside(Segment::Key(key.clone())))?;
        }
        return Ok(());
    }
    if field.is_repeated() {
        let elements = nullable(value, Value::as_array, "an array")?;
        for (index, value) in elements.into_iter().flatten().enumerate() {
            put_value(out, number, field, value, depth)
                .map_err(|error| error.inside(Segment::Index(index)))?;
        }
        return Ok(());
    }
    if value.is_null() && field.is_pointer() {
        return Ok(());
    }
    put_value(out, number, field, value, depth)
}

/// Writes one value; null is the zero value.
fn put_value(
    out: &mut Out,
    number: u32,
    field: Field,
    value: &Value,
    depth: u8,
) -> Result<(), Error> {
    match field.shape() {
        Shape::String => {
            let text = nullable(value, Value::as_str, "a text")?.unwrap_or_default();
            put_bytes(out, number, text.as_bytes());
        }
        Shape::Bytes => {
            let text = nullable(value, Value::as_str, "a text")?.unwrap_or_default();
            let bytes = BASE64_STANDARD
                .decode(text)
                .map_err(|_| Error::data("expected base64"))?;
            put_bytes(out, number, &bytes);
        }
        Shape::Bool => {
            let value = nullable(value, Value::as_bool, "a boolean")?.unwrap_or_default();
            put_number(out, number, u64::from(value));
        }
        Shape::Int32 | Shape::Int64 => {
            let is_small = field.shape() == Shape::Int32;
            let int = nullable(value, |value| whole(value, is_small), "a whole number")?;
            put_number(out, number, int.unwrap_or_default().cast_unsigned());
        }
        Shape::Double => {
            let float = nullable(value, Value::as_f64, "a number")?.unwrap_or_default();
            put_tag(out, number, WireType::Fixed64);
            out.extend_from_slice(&float.to_bits().to_le_bytes());
        }
        _ => put_nested(out, number, |out| put_content(out, field, value, depth))?,
    }
    Ok(())
}

/// Writes the content of a value that is a message.
fn put_content(out: &mut Out, field: Field, value: &Value, depth: u8) -> Result<(), Error> {
    match field.shape() {
        Shape::Time | Shape::MicroTime => {
            let is_micro = field.shape() == Shape::MicroTime;
            let parse = |value: &Value| Timestamp::parse(value.as_str()?, is_micro);
            let time = nullable(value, parse, "a time")?;
            if let Some(time) = time.filter(|time| !time.is_zero()) {
                time.write(out);
            }
            Ok(())
        }
        Shape::Quantity => {
            match value {
                Value::Null => put_bytes(out, 1, b"0"),
                Value::String(text) => put_bytes(out, 1, text.as_bytes()),
                Value::Number(number) => put_bytes(out, 1, number.to_string().as_bytes()),
                _ => return Err(Error::data("expected a quantity")),
            }
            Ok(())
        }
        Shape::IntOrString => {
            let (variant, int, text) = match value {
                Value::Null => (0, 0, ""),
                Value::String(text) => (1, 0, text.as_str()),
                value => match whole(value, true) {
                    Some(int) => (0, int, ""),
                    None => return Err(Error::data("expected an integer or a text")),
                },
            };
            put_number(out, 1, variant);
            put_number(out, 2, int.cast_unsigned());
            put_bytes(out, 3, text.as_bytes());
            Ok(())
        }
        Shape::Json | Shape::RawExtension => {
            if !value.is_null() {
                put_bytes(out, 1, value.to_string().as_bytes());
            }
            Ok(())
        }
        Shape::Items => put_texts(out, 1, value),
        Shape::SchemaOrArray | Shape::SchemaOrBool | Shape::SchemaOrStrings => {
            put_schema_or(out, field.shape(), value, depth)
        }
        Shape::Message => put_object(out, field.target(), value, depth),
        // `put_value` writes these shapes.
        Shape::String
        | Shape::Bool
        | Shape::Int32
        | Shape::Int64
        | Shape::Double
        | Shape::Bytes => Ok(()),
    }
}

fn put_schema_or(out: &mut Out, shape: Shape, value: &Value, depth: u8) -> Result<(), Error> {
    let schema = Message::JSON_SCHEMA_PROPS;
    let is_schema = value.is_object();
    match (shape, value) {
        (Shape::SchemaOrBool, Value::Bool(allows)) => put_number(out, 1, u64::from(*allows)),
        (Shape::SchemaOrBool, _) if is_schema => {
            put_number(out, 1, 1);
            put_nested(out, 2, |out| put_object(out, schema, value, depth))?;
        }
        (Shape::SchemaOrArray | Shape::SchemaOrStrings, _) if is_schema => {
            put_nested(out, 1, |out| put_object(out, schema, value, depth))?;
        }
        (Shape::SchemaOrStrings, Value::Array(_)) => put_texts(out, 2, value)?,
        (Shape::SchemaOrArray, Value::Array(schemas)) => {
            for (index, value) in schemas.iter().enumerate() {
                put_nested(out, 2, |out| put_object(out, schema, value, depth))
                    .map_err(|error| error.inside(Segment::Index(index)))?;
            }
        }
        (Shape::SchemaOrArray | Shape::SchemaOrStrings, Value::Null) => {}
        _ => return Err(Error::data("expected a schema or its alternative")),
    }
    Ok(())
}

fn put_object(out: &mut Out, message: Message, value: &Value, depth: u8) -> Result<(), Error> {
    match nullable(value, Value::as_object, "an object")? {
        Some(object) => put_message(out, message, object, depth),
        None => put_message(out, message, &Map::new(), depth),
    }
}

fn put_texts(out: &mut Out, number: u32, value: &Value) -> Result<(), Error> {
    let texts = nullable(value, Value::as_array, "an array")?;
    for (index, text) in texts.into_iter().flatten().enumerate() {
        let text = text
            .as_str()
            .ok_or_else(|| Error::data("expected a text").inside(Segment::Index(index)))?;
        put_bytes(out, number, text.as_bytes());
    }
    Ok(())
}

fn put_number(out: &mut Out, number: u32, value: u64) {
    put_tag(out, number, WireType::Varint);
    put_varint(out, value);
}

/// Returns an integer that fits.
fn whole(value: &Value, is_small: bool) -> Option<i64> {
    let number = value.as_i64()?;
    (!is_small || i32::try_from(number).is_ok()).then_some(number)
}

/// Returns the result of `read`; `None` for null.
fn nullable<'v, T>(
    value: &'v Value,
    read: impl FnOnce(&'v Value) -> Option<T>,
    expected: &str,
) -> Result<Option<T>, Error> {
    if value.is_null() {
        return Ok(None);
    }
    match read(value) {
        Some(value) => Ok(Some(value)),
        None => Err(Error::data(format!("expected {expected}"))),
    }
}
