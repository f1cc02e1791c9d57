//! What is at one place of an object.

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
use crate::wire::{Malformed, Payload, Reader};

/// A value whose form is known, and that nothing was read of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'de> {
    pub(super) shape: Shape,
    /// The message, where `shape` is one.
    pub(super) target: Message,
    pub(super) data: Data<'de>,
    pub(super) context: Context,
}

/// The bytes of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Data<'de> {
    Null,
    /// Numbers, with the bits of floating ones.
    Number(u64),
    /// The content of a record.
    Bytes(&'de [u8]),
    /// An object in an envelope.
    Envelope(&'de [u8]),
    List(Run<'de>),
    Map(Run<'de>),
    /// A JSON text.
    Json(&'de [u8]),
}

/// The records of one field, with their tags.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'de> {
    pub(super) bytes: &'de [u8],
    pub(super) number: u32,
    pub(super) count: u32,
}

/// A value as JSON has it, down to the next level.
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

/// A number as JSON has it.
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

    /// Becomes another value at the same level.
    #[inline]
    pub(super) fn set(&mut self, shape: Shape, target: Message, data: Data<'de>) {
        self.shape = shape;
        self.target = target;
        self.data = data;
    }

    /// Becomes the value of a field of which there is nothing.
    pub(super) fn set_empty(&mut self, field: Field) {
        let is_null = field.is_pointer() || field.is_repeated() || field.is_map();
        let data = match field.shape() {
            _ if is_null => Data::Null,
            shape if shape.is_number() => Data::Number(0),
            _ => Data::Bytes(&[]),
        };
        self.set(field.shape(), field.target(), data);
    }

    /// A JSON text inside the object.
    pub(super) fn json(bytes: &'de [u8], context: Context) -> Self {
        Self {
            data: Data::Json(bytes),
            ..Self::null(context)
        }
    }

    /// The same place with another form.
    fn with(&self, shape: Shape, data: Data<'de>) -> Self {
        Self {
            shape,
            data,
            ..*self
        }
    }

    /// Whether JSON has no member for this: Go's `omitempty` and `omitzero` of what is no pointer.
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

    /// The text that this is, if it is one without a detour.
    #[inline]
    pub(super) fn as_text(&self) -> Option<&'de str> {
        match (self.data, self.shape) {
            (Data::Bytes(bytes), Shape::String) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
    }

    /// Whether this is null, without reading more of it than that needs.
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
        Ok(match (self.data, self.shape) {
            (Data::Null, _) => true,
            (Data::Json(text), _) => text.trim_ascii() == b"null",
            (Data::Bytes(bytes), Shape::Time | Shape::MicroTime) => {
                Timestamp::read(bytes)?.is_none()
            }
            (
                Data::Bytes(_),
                Shape::Json | Shape::RawExtension | Shape::SchemaOrArray | Shape::SchemaOrStrings,
            ) => match self.special()? {
                Some(value) => value.is_null()?,
                None => matches!(self.form()?, Form::Null),
            },
            _ => false,
        })
    }

    /// The JSON text that this is, if it is one.
    pub(super) fn as_json(&self) -> Result<Option<&'de [u8]>, Error> {
        match (self.data, self.shape) {
            (Data::Json(text), _) => Ok(Some(text)),
            (Data::Bytes(_), Shape::Json | Shape::RawExtension) => match self.special()? {
                Some(Self {
                    data: Data::Json(text),
                    ..
                }) => Ok(Some(text)),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// Looks into a wrapper: what is inside is the value.
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

    /// `JSONSchemaProps` or something else: each is a field of one message.
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
                    list = Some(Run::count(here, 2)?);
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

    // What types ask for is answered out of their code, of which there is much.

    /// The truth value that this is.
    pub(super) fn as_bool(&self) -> Result<Option<bool>, Error> {
        match self.form()? {
            Form::Bool(value) => Ok(Some(value)),
            _ => Ok(None),
        }
    }

    /// The number that this is.
    pub(super) fn as_number(&self) -> Result<Option<Number>, Error> {
        match self.form()? {
            Form::Number(number) => Ok(Some(number)),
            _ => Ok(None),
        }
    }

    /// The elements of the list that this is.
    pub(super) fn as_list(&self) -> Result<Option<Elements<'de>>, Error> {
        if let Data::List(run) = self.data {
            return Elements::of(run, self).map(Some);
        }
        match self.form()? {
            Form::Seq(elements) => Ok(Some(elements)),
            _ => Ok(None),
        }
    }

    /// What the value is in JSON.
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
        Ok(match self.shape {
            Shape::Bool => Form::Bool(number != 0),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "Go keeps the lower half of what does not fit"
            )]
            Shape::Int32 => Form::Number(Number::Int(i64::from(number as i32))),
            Shape::Double => {
                let number = f64::from_bits(number);
                if !number.is_finite() {
                    return Err(Error::data("a number that JSON does not have"));
                }
                Form::Number(Number::Float(number))
            }
            _ => Form::Number(Number::Int(number.cast_signed())),
        })
    }

    fn content(&self, bytes: &'de [u8]) -> Result<Form<'de>, Error> {
        Ok(match self.shape {
            Shape::Message => return self.members(),
            Shape::Bytes => Form::String(BASE64_STANDARD.encode(bytes)),
            Shape::Time => {
                Timestamp::read(bytes)?.map_or(Form::Null, |t| Form::Time(t.to_seconds()))
            }
            Shape::MicroTime => {
                Timestamp::read(bytes)?.map_or(Form::Null, |t| Form::Time(t.to_micros()))
            }
            Shape::Quantity => match Reader::new(bytes).record()? {
                None => Form::Str("0"),
                Some((1, Payload::Bytes(text))) => text_form(text),
                Some(_) => return Err(Malformed("a quantity").into()),
            },
            Shape::IntOrString => int_or_string(bytes)?,
            Shape::Items => {
                let run = Run::count(bytes, 1)?;
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
    /// What a record of a value of this shape holds.
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

// === impl Run ===

impl<'de> Run<'de> {
    /// The records of `number` that all of `bytes` are.
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

/// A text as Go writes it in JSON: bytes that are no UTF-8 become U+FFFD, one by one.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(out)
}

fn text_form(bytes: &[u8]) -> Form<'_> {
    match text(bytes) {
        Cow::Borrowed(text) => Form::Str(text),
        Cow::Owned(text) => Form::String(text),
    }
}

/// The bytes that a message has in field 1; empty is none.
fn raw(bytes: &[u8]) -> Result<Option<&[u8]>, Malformed> {
    match Reader::new(bytes).record()? {
        None => Ok(None),
        Some((1, Payload::Bytes(raw))) => Ok((!raw.is_empty()).then_some(raw)),
        Some(_) => Err(Malformed("raw bytes")),
    }
}

fn int_or_string(bytes: &[u8]) -> Result<Form<'_>, Malformed> {
    let (mut is_text, mut int, mut text) = (false, 0, &[][..]);
    let mut reader = Reader::new(bytes);
    while let Some(record) = reader.record()? {
        match record {
            (1, Payload::Varint(variant @ 0..=1)) => is_text = variant == 1,
            #[expect(
                clippy::cast_possible_truncation,
                reason = "Go keeps the lower half of what does not fit"
            )]
            (2, Payload::Varint(number)) => int = i64::from(number as i32),
            (3, Payload::Bytes(bytes)) => text = bytes,
            _ => return Err(Malformed("an integer or a text")),
        }
    }
    Ok(if is_text {
        text_form(text)
    } else {
        Form::Number(Number::Int(int))
    })
}
