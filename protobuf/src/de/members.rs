//! Walks through what is an object in JSON: a message, a map, or an object in a JSON text.

use std::borrow::Cow;

use super::elements::data;
use super::fields::Fields;
use super::value::{Data, Form, Run, Value, text};
use super::{Context, TypeMeta};
use crate::error::{Error, Segment};
use crate::tables::{Message, Shape};
use crate::wire::{Malformed, Payload, Reader};

/// The members of an object. One type for all three sorts, so that a type's visitor is compiled
/// once.
pub(super) struct Members<'de> {
    source: Source<'de>,
    /// What precedes a message's own members.
    type_meta: [Option<(&'static str, &'de str)>; 2],
    context: Context,
    /// The member whose name was read last.
    pub(super) pending: Option<(Name<'de>, Value<'de>)>,
}

enum Source<'de> {
    Message(Fields<'de>),
    Map {
        reader: Reader<'de>,
        number: u32,
        shape: Shape,
        target: Message,
    },
    Json(std::vec::IntoIter<(Cow<'de, str>, &'de [u8])>),
}

/// The name of a member.
#[derive(Debug, Clone)]
pub(super) enum Name<'de> {
    Field(&'static str),
    Key(Cow<'de, str>),
}

// === impl Members ===

impl<'de> Members<'de> {
    /// Those of a value that is an object in JSON.
    pub(super) fn open(value: Value<'de>) -> Result<Option<Self>, Error> {
        Ok(Some(match (value.data, value.shape) {
            (Data::Bytes(bytes), Shape::Message) => {
                Self::of_message(value.target, bytes, None, value.context)?
            }
            (Data::Map(run), _) => Self::of_map(run, value)?,
            _ => match value.form()? {
                Form::Map(members) => members,
                _ => return Ok(None),
            },
        }))
    }

    /// Reads the next member, and gives its name.
    pub(super) fn advance(&mut self) -> Result<Option<&Name<'de>>, Error> {
        self.pending = None;
        match &mut self.source {
            Source::Message(fields) if matches!(self.type_meta, [None, None]) => {
                fields.next(&mut self.pending)?;
            }
            _ => self.pending = self.next()?,
        }
        Ok(self.pending.as_ref().map(|(name, _)| name))
    }

    #[inline]
    pub(super) fn of_message(
        message: Message,
        bytes: &'de [u8],
        type_meta: Option<TypeMeta<'de>>,
        context: Context,
    ) -> Result<Self, Error> {
        let context = context.deeper()?;
        let type_meta = type_meta.map_or([None, None], |type_meta| {
            // Taken from the end.
            [
                Some(("kind", type_meta.kind)),
                Some(("apiVersion", type_meta.api_version)),
            ]
        });
        Ok(Self {
            source: Source::Message(Fields::new(message, bytes, context)),
            type_meta,
            context,
            pending: None,
        })
    }

    /// Those of a run of entries, whose values are like `value`.
    pub(super) fn of_map(run: Run<'de>, value: Value<'de>) -> Result<Self, Error> {
        Ok(Self {
            source: Source::Map {
                reader: Reader::new(run.bytes),
                number: run.number,
                shape: value.shape,
                target: value.target,
            },
            type_meta: [None, None],
            context: value.context.deeper()?,
            pending: None,
        })
    }

    pub(super) fn of_json(
        members: Vec<(Cow<'de, str>, &'de [u8])>,
        context: Context,
    ) -> Result<Self, Error> {
        Ok(Self {
            source: Source::Json(members.into_iter()),
            type_meta: [None, None],
            context: context.deeper()?,
            pending: None,
        })
    }

    #[inline(never)]
    fn next(&mut self) -> Result<Option<(Name<'de>, Value<'de>)>, Error> {
        let [last, first] = &mut self.type_meta;
        if let Some((name, text)) = first.take().or_else(|| last.take()) {
            let value = Value {
                shape: Shape::String,
                target: Message::OBJECT_META,
                data: Data::Bytes(text.as_bytes()),
                context: self.context,
            };
            return Ok(Some((Name::Field(name), value)));
        }
        match &mut self.source {
            Source::Message(fields) => {
                let mut member = None;
                fields.next(&mut member)?;
                Ok(member)
            }
            Source::Json(members) => Ok(members
                .next()
                .map(|(name, text)| (Name::Key(name), Value::json(text, self.context)))),
            Source::Map {
                reader,
                number,
                shape,
                target,
            } => match reader.record()? {
                None => Ok(None),
                Some((found, Payload::Bytes(entry))) if found == *number => {
                    let (key, data) = entry_of(entry, *shape)?;
                    let value = Value {
                        shape: *shape,
                        target: *target,
                        data,
                        context: self.context,
                    };
                    Ok(Some((Name::Key(key), value)))
                }
                Some(_) => Err(Malformed("the entries of a map").into()),
            },
        }
    }
}

// === impl Name ===

impl Name<'_> {
    pub(super) fn into_segment(self) -> Segment {
        match self {
            Self::Field(name) => Segment::Field(name),
            Self::Key(key) => Segment::Key(key.into_owned()),
        }
    }
}

/// The key and the value of a map's entry; what is not there is empty.
fn entry_of(entry: &[u8], shape: Shape) -> Result<(Cow<'_, str>, Data<'_>), Error> {
    let mut key = &[][..];
    let mut value = match shape {
        Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double => Data::Number(0),
        _ => Data::Bytes(&[]),
    };
    let mut reader = Reader::new(entry);
    while let Some((number, payload)) = reader.record()? {
        match (number, payload) {
            (1, Payload::Bytes(bytes)) => key = bytes,
            (2, payload) => value = data(shape, payload)?,
            _ => return Err(Malformed("a key and a value").into()),
        }
    }
    Ok((text(key), value))
}
