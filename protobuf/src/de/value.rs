//! Value at one position of an object.

use std::borrow::Cow;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::elements::Elements;
use super::members::Members;
use super::{Context, json};
use crate::error::Error;
use crate::frame::PREFIX;
use crate::tables::{Field, Message, Shape};
use crate::time::{self, Timestamp};
use crate::wire::{Malformed, Payload, Reader, lossy_text};

/// A value of a known shape, not yet read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'de> {
    pub(super) shape: Shape,
    /// The message, if `shape` is one.
    pub(super) target: Message,
    pub(super) data: Data<'de>,
    pub(super) context: Context,
}

/// Bytes of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data<'de> {
    Null,
    /// A number, or the bits of a floating-point number.
    Number(u64),
    /// Content of a record.
    Bytes(&'de [u8]),
    /// An object in an envelope.
    Envelope(&'de [u8]),
    List(RecordRun<'de>),
    Map(RecordRun<'de>),
    /// A JSON text.
    Json(&'de [u8]),
}

/// Records of one field, with their tags.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordRun<'de> {
    pub(super) bytes: &'de [u8],
    pub(super) number: u32,
    pub(super) count: u32,
}

/// A value in its JSON form, down to the next level.
pub(super) enum Form<'de> {
    Null,
    Bool(bool),
    Number(Number),
    Str(&'de str),
    String(String),
    Time(time::Text),
    Map(Members<'de>),
    Seq(Elements<'de>),
}

/// A number in its JSON form.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Int(i64),
    UInt(u64),
    Float(f64),
}

// === impl Value ===

impl<'de> Value<'de> {
    pub(super) fn null(context: Context) -> Self {
        Self {
            shape: Shape::Json,
            target: Message::OBJECT_META,
            data: Data::Null,
            context,
        }
    }

    /// Replaces the value by another one at the same level.
    #[inline]
    pub(super) fn set(&mut self, shape: Shape, target: Message, data: Data<'de>) {
        self.shape = shape;
        self.target = target;
        self.data = data;
    }

    /// Replaces the value by that of an absent field.
    pub(super) fn set_empty(&mut self, field: Field) {
        let is_null = field.is_pointer() || field.is_repeated() || field.is_map();
        let data = if is_null {
            Data::Null
        } else if field.shape().is_number() {
            Data::Number(0)
        } else {
            Data::Bytes(&[])
        };
        self.set(field.shape(), field.target(), data);
    }

    /// Creates a value for a JSON text inside the object.
    pub(super) fn json(bytes: &'de [u8], context: Context) -> Self {
        Self {
            data: Data::Json(bytes),
            ..Self::null(context)
        }
    }

    /// Returns a value at the same position with another shape.
    fn with(&self, shape: Shape, data: Data<'de>) -> Self {
        Self {
            shape,
            data,
            ..*self
        }
    }

    /// Reports whether JSON omits the value, by Go's `omitempty` or `omitzero` for a type that is
    /// not a pointer.
    #[inline]
    pub(super) fn is_empty(&self, is_pointer: bool) -> bool {
        match self.data {
            Data::Number(number) => !is_pointer && number == 0,
            Data::Bytes([]) => match self.shape {
                Shape::String | Shape::Time => !is_pointer,
                shape => matches!(shape, Shape::Bytes | Shape::Items),
            },
            _ => false,
        }
    }

    /// Returns the string, if the value is one that needs no conversion.
    #[inline]
    pub(super) fn as_text(&self) -> Option<&'de str> {
        match (self.data, self.shape) {
            (Data::Bytes(bytes), Shape::String) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Reports whether the value is null, and reads no more of it than necessary.
    #[inline]
    pub(super) fn is_null(&self) -> Result<bool, Error> {
        match (self.data, self.shape) {
            (Data::Null, _) => Ok(true),
            (Data::Bytes(_), Shape::Message | Shape::String | Shape::Quantity)
            | (Data::Number(_) | Data::List(_) | Data::Map(_) | Data::Envelope(_), _) => Ok(false),
            _ => self.is_special_null(),
        }
    }

    fn is_special_null(&self) -> Result<bool, Error> {
        let content = match self.data {
            Data::Null => return Ok(true),
            Data::Json(text) => return Ok(text.trim_ascii() == b"null"),
            Data::Bytes(bytes) => bytes,
            Data::Number(_) | Data::Envelope(_) | Data::List(_) | Data::Map(_) => return Ok(false),
        };
        match self.shape {
            Shape::Time | Shape::MicroTime => Ok(Timestamp::read(content)?.is_none()),
            Shape::Json | Shape::RawExtension | Shape::SchemaOrArray | Shape::SchemaOrStrings => {
                match self.special()? {
                    Some(value) => value.is_null(),
                    None => Ok(matches!(self.form()?, Form::Null)),
                }
            }
            _ => Ok(false),
        }
    }

    /// Returns the JSON text, if the value is one.
    pub(super) fn as_json(&self) -> Result<Option<&'de [u8]>, Error> {
        if let Data::Json(text) = self.data {
            return Ok(Some(text));
        }
        if matches!(self.shape, Shape::Json | Shape::RawExtension)
            && let Some(value) = self.special()?
            && let Data::Json(text) = value.data
        {
            return Ok(Some(text));
        }
        Ok(None)
    }

    /// Unwraps a wrapper message, whose content is the value.
    fn special(&self) -> Result<Option<Self>, Error> {
        let Data::Bytes(bytes) = self.data else {
            return Ok(None);
        };
        let mut found = *self;
        found.data = match self.shape {
            Shape::Json => match raw(bytes)? {
                Some(text) => Data::Json(text),
                None => Data::Null,
            },
            Shape::RawExtension => match raw(bytes)? {
                Some(raw) if raw.starts_with(&PREFIX) => Data::Envelope(raw),
                Some(text) => Data::Json(text),
                None => Data::Null,
            },
            Shape::SchemaOrArray | Shape::SchemaOrBool | Shape::SchemaOrStrings => {
                return self.schema_or(bytes).map(Some);
            }
            _ => return Ok(None),
        };
        Ok(Some(found))
    }

    /// Unwraps `JSONSchemaProps` or its alternative: each is a field of one message.
    fn schema_or(&self, bytes: &'de [u8]) -> Result<Self, Error> {
        let mut schema = None;
        let mut allows = 0;
        let mut list = None;
        let mut reader = Reader::new(bytes);
        loop {
            let here = reader.rest();
            let Some((number, payload)) = reader.record()? else {
                break;
            };
            match (self.shape, number, payload) {
                (Shape::SchemaOrBool, 1, Payload::Varint(number)) => allows = number,
                (Shape::SchemaOrBool, 2, Payload::Bytes(bytes))
                | (Shape::SchemaOrArray | Shape::SchemaOrStrings, 1, Payload::Bytes(bytes)) => {
                    schema = Some(bytes);
                }
                (Shape::SchemaOrArray | Shape::SchemaOrStrings, 2, Payload::Bytes(_)) => {
                    // The list is the message's last field.
                    list = Some(RecordRun::count(here, 2)?);
                    break;
                }
                _ => return Err(Malformed("a schema or its alternative").into()),
            }
        }
        Ok(match (list, schema, self.shape) {
            (Some(list), _, Shape::SchemaOrStrings) => self.with(Shape::String, Data::List(list)),
            (Some(list), ..) => self.with(Shape::Message, Data::List(list)),
            (None, Some(schema), _) => self.with(Shape::Message, Data::Bytes(schema)),
            (None, None, Shape::SchemaOrBool) => self.with(Shape::Bool, Data::Number(allows)),
            (None, None, _) => self.with(self.shape, Data::Null),
        })
    }

    // Typed requests, which are not inlined into the large code of the types.

    /// Returns the value as a bool, if it is one.
    pub(super) fn as_bool(&self) -> Result<Option<bool>, Error> {
        match self.form()? {
            Form::Bool(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// Returns the value as a number, if it is one.
    pub(super) fn as_number(&self) -> Result<Option<Number>, Error> {
        match self.form()? {
            Form::Number(number) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// Returns the elements, if the value is a list.
    pub(super) fn as_list(&self) -> Result<Option<Elements<'de>>, Error> {
        if let Data::List(run) = self.data {
            return Elements::of(run, self).map(Some);
        }
        match self.form()? {
            Form::Seq(elements) => Ok(Some(elements)),
            _ => Ok(None),
        }
    }

    /// Returns the JSON form of the value.
    pub(super) fn form(&self) -> Result<Form<'de>, Error> {
        match self.data {
            Data::Null => Ok(Form::Null),
            Data::Number(number) => Ok(self.number(number)?),
            Data::Json(text) => json::form(text, self.context),
            Data::List(run) => Ok(Form::Seq(Elements::of(run, self)?)),
            Data::Map(_) => self.members(),
            Data::Envelope(bytes) => Ok(Form::Map(Members::of_envelope(bytes, self.context)?)),
            Data::Bytes(bytes) => self.content(bytes),
        }
    }

    fn members(&self) -> Result<Form<'de>, Error> {
        let mut members = Members::new(self.context);
        members.open(self)?;
        Ok(Form::Map(members))
    }

    fn number(&self, number: u64) -> Result<Form<'de>, Error> {
        let int = match self.shape {
            Shape::Bool => return Ok(Form::Bool(number != 0)),
            Shape::Double => {
                let float = f64::from_bits(number);
                if !float.is_finite() {
                    return Err(Error::data("a number that JSON does not have"));
                }
                return Ok(Form::Number(Number::Float(float)));
            }
            Shape::Int32 => truncated(number),
            _ => number.cast_signed(),
        };
        Ok(Form::Number(Number::Int(int)))
    }

    fn content(&self, bytes: &'de [u8]) -> Result<Form<'de>, Error> {
        Ok(match self.shape {
            Shape::Message => return self.members(),
            Shape::Bytes => Form::String(BASE64_STANDARD.encode(bytes)),
            Shape::Time => match Timestamp::read(bytes)? {
                Some(time) => Form::Time(time.to_seconds()),
                None => Form::Null,
            },
            Shape::MicroTime => match Timestamp::read(bytes)? {
                Some(time) => Form::Time(time.to_micros()),
                None => Form::Null,
            },
            Shape::Quantity => match Reader::new(bytes).record()? {
                None => Form::Str("0"),
                Some((1, Payload::Bytes(text))) => text_form(text),
                Some(_) => return Err(Malformed("a quantity").into()),
            },
            Shape::IntOrString => int_or_string(bytes)?,
            Shape::Items => {
                let run = RecordRun::count(bytes, 1)?;
                return self.with(Shape::String, Data::List(run)).form();
            }
            Shape::Json
            | Shape::RawExtension
            | Shape::SchemaOrArray
            | Shape::SchemaOrBool
            | Shape::SchemaOrStrings => match self.special()? {
                Some(value) => return value.form(),
                None => Form::Null,
            },
            Shape::String | Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double => {
                text_form(bytes)
            }
        })
    }
}

// === impl Data ===

impl<'de> Data<'de> {
    /// Returns the data of a record for a value of this shape.
    #[inline]
    pub(super) fn of(shape: Shape, payload: Payload<'de>) -> Result<Self, Malformed> {
        match payload {
            Payload::Bytes(bytes) if !shape.is_number() => Ok(Self::Bytes(bytes)),
            Payload::Varint(number) if shape.is_number() && shape != Shape::Double => {
                Ok(Self::Number(number))
            }
            Payload::Fixed64(number) if shape == Shape::Double => Ok(Self::Number(number)),
            _ if shape.is_number() => Err(Malformed("a number")),
            _ => Err(Malformed("a length")),
        }
    }
}

// === impl RecordRun ===

impl<'de> RecordRun<'de> {
    /// Creates the run of records that consists of all of `bytes`, which must have the number
    /// `number`.
    fn count(bytes: &'de [u8], number: u32) -> Result<Self, Malformed> {
        let mut reader = Reader::new(bytes);
        let mut count: u32 = 0;
        while let Some((found, _)) = reader.record()? {
            if found != number {
                return Err(Malformed("one field only"));
            }
            count = count.saturating_add(1);
        }
        Ok(Self {
            bytes,
            number,
            count,
        })
    }
}

/// Returns a number of 32 bits, as Go reads it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "Go truncates a number that does not fit"
)]
fn truncated(number: u64) -> i64 {
    i64::from(number as i32)
}

fn text_form(bytes: &[u8]) -> Form<'_> {
    match lossy_text(bytes) {
        Cow::Borrowed(text) => Form::Str(text),
        Cow::Owned(text) => Form::String(text),
    }
}

/// Returns the bytes in field 1 of a message; `None` if they are empty.
fn raw(bytes: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    match Reader::new(bytes).record()? {
        None => Ok(None),
        Some((1, Payload::Bytes(raw))) => Ok((!raw.is_empty()).then_some(raw)),
        Some(_) => Err(Malformed("raw bytes")),
    }
}

fn int_or_string(bytes: &[u8]) -> Result<Form<'_>, Malformed> {
    let mut is_text = false;
    let mut int = 0;
    let mut text: &[u8] = &[];
    let mut reader = Reader::new(bytes);
    while let Some(record) = reader.record()? {
        match record {
            (1, Payload::Varint(variant @ 0..=1)) => is_text = variant == 1,
            (2, Payload::Varint(number)) => int = truncated(number),
            (3, Payload::Bytes(bytes)) => text = bytes,
            _ => return Err(Malformed("an integer or a text")),
        }
    }
    if is_text {
        return Ok(text_form(text));
    }
    Ok(Form::Number(Number::Int(int)))
}
