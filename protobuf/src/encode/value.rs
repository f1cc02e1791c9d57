//! Encoding of JSON values as the records of a message.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value};

use crate::error::{Error, ErrorKind, Segment};
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
    let Some(left) = depth.checked_sub(1) else {
        return Err(Error::new(ErrorKind::TooDeep));
    };
    for field in message.fields() {
        if field.is_inline() {
            put_nested(out, field.number(), |out| {
                put_message(out, field.target(), object, left)
            })?;
            continue;
        }
        let value = object.get(field.name()).unwrap_or(&Value::Null);
        put_field(out, field, value, left)
            .map_err(|error| error.inside(Segment::Field(field.name())))?;
    }
    Ok(())
}

fn put_field(out: &mut Out, field: Field, value: &Value, depth: u8) -> Result<(), Error> {
    if field.is_map() {
        match nullable(value, Value::as_object, "an object")? {
            Some(members) => put_map(out, field, members, depth),
            None => Ok(()),
        }
    } else if field.is_repeated() {
        match nullable(value, Value::as_array, "an array")? {
            Some(elements) => put_list(out, field, elements, depth),
            None => Ok(()),
        }
    } else if value.is_null() && field.is_pointer() {
        Ok(())
    } else {
        put_value(out, field.number(), field, value, depth)
    }
}

/// Writes a record for each member, sorted by key.
fn put_map(
    out: &mut Out,
    field: Field,
    members: &Map<String, Value>,
    depth: u8,
) -> Result<(), Error> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(key, _)| *key);
    for (key, value) in sorted {
        put_nested(out, field.number(), |out| {
            put_bytes(out, 1, key.as_bytes());
            put_value(out, 2, field, value, depth)
        })
        .map_err(|error| error.inside(Segment::Key(key.clone())))?;
    }
    Ok(())
}

fn put_list(out: &mut Out, field: Field, elements: &[Value], depth: u8) -> Result<(), Error> {
    for (index, element) in elements.iter().enumerate() {
        put_value(out, field.number(), field, element, depth)
            .map_err(|error| error.inside(Segment::Index(index)))?;
    }
    Ok(())
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
            let Ok(bytes) = BASE64_STANDARD.decode(text) else {
                return Err(Error::data("expected base64"));
            };
            put_bytes(out, number, &bytes);
        }
        Shape::Bool => {
            let flag = nullable(value, Value::as_bool, "a boolean")?.unwrap_or_default();
            put_number(out, number, u64::from(flag));
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
        Shape::Time => put_time(out, value, false),
        Shape::MicroTime => put_time(out, value, true),
        Shape::Quantity => put_quantity(out, value),
        Shape::IntOrString => put_int_or_string(out, value),
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

fn put_time(out: &mut Out, value: &Value, is_micro: bool) -> Result<(), Error> {
    let parse = |value: &Value| Timestamp::parse(value.as_str()?, is_micro);
    if let Some(time) = nullable(value, parse, "a time")?
        && !time.is_zero()
    {
        time.write(out);
    }
    Ok(())
}

fn put_quantity(out: &mut Out, value: &Value) -> Result<(), Error> {
    match value {
        Value::Null => put_bytes(out, 1, b"0"),
        Value::String(text) => put_bytes(out, 1, text.as_bytes()),
        Value::Number(number) => put_bytes(out, 1, number.to_string().as_bytes()),
        _ => return Err(Error::data("expected a quantity")),
    }
    Ok(())
}

/// Writes the variant, the integer and the text; like Go, always all three.
fn put_int_or_string(out: &mut Out, value: &Value) -> Result<(), Error> {
    let mut is_text = false;
    let mut int = 0;
    let mut text = "";
    match value {
        Value::Null => {}
        Value::String(given) => {
            is_text = true;
            text = given;
        }
        value => match whole(value, true) {
            Some(given) => int = given,
            None => return Err(Error::data("expected an integer or a text")),
        },
    }
    put_number(out, 1, u64::from(is_text));
    put_number(out, 2, int.cast_unsigned());
    put_bytes(out, 3, text.as_bytes());
    Ok(())
}

fn put_schema_or(out: &mut Out, shape: Shape, value: &Value, depth: u8) -> Result<(), Error> {
    match (shape, value) {
        (Shape::SchemaOrBool, Value::Bool(allows)) => put_number(out, 1, u64::from(*allows)),
        (Shape::SchemaOrBool, Value::Object(_)) => {
            put_number(out, 1, 1);
            put_schema(out, 2, value, depth)?;
        }
        (Shape::SchemaOrArray | Shape::SchemaOrStrings, Value::Object(_)) => {
            put_schema(out, 1, value, depth)?;
        }
        (Shape::SchemaOrStrings, Value::Array(_)) => put_texts(out, 2, value)?,
        (Shape::SchemaOrArray, Value::Array(schemas)) => {
            for (index, schema) in schemas.iter().enumerate() {
                put_schema(out, 2, schema, depth)
                    .map_err(|error| error.inside(Segment::Index(index)))?;
            }
        }
        (Shape::SchemaOrArray | Shape::SchemaOrStrings, Value::Null) => {}
        _ => return Err(Error::data("expected a schema or its alternative")),
    }
    Ok(())
}

fn put_schema(out: &mut Out, number: u32, schema: &Value, depth: u8) -> Result<(), Error> {
    put_nested(out, number, |out| {
        put_object(out, Message::JSON_SCHEMA_PROPS, schema, depth)
    })
}

fn put_object(out: &mut Out, message: Message, value: &Value, depth: u8) -> Result<(), Error> {
    match nullable(value, Value::as_object, "an object")? {
        Some(object) => put_message(out, message, object, depth),
        None => put_message(out, message, &Map::new(), depth),
    }
}

fn put_texts(out: &mut Out, number: u32, value: &Value) -> Result<(), Error> {
    let Some(texts) = nullable(value, Value::as_array, "an array")? else {
        return Ok(());
    };
    for (index, element) in texts.iter().enumerate() {
        let Value::String(text) = element else {
            return Err(Error::data("expected a text").inside(Segment::Index(index)));
        };
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
    let fits = !is_small || i32::try_from(number).is_ok();
    fits.then_some(number)
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
