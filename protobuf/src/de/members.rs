//! Iteration over a JSON object: a message, a map, or an object in a JSON text.

use std::borrow::Cow;

use super::fields::Fields;
use super::value::{Data, Form, RecordRun, Value};
use super::{Context, TypeMeta};
use crate::error::{Error, Segment};
use crate::frame::Envelope;
use crate::tables::{Message, Shape};
use crate::wire::{Malformed, Payload, Reader, lossy_text};

/// Members of an object. One type for all three kinds, so that a type's visitor is compiled once.
pub(super) struct Members<'de> {
    source: MemberSource<'de>,
    /// The last member that was read. Stored in place, because moving a value copies more bytes
    /// than most values have.
    name: MemberName<'de>,
    value: Value<'de>,
}

enum MemberSource<'de> {
    Message(Fields<'de>),
    /// A message, preceded by `apiVersion` and `kind`.
    Object {
        message: Message,
        bytes: &'de [u8],
        type_meta: TypeMeta<'de>,
        is_kind_next: bool,
    },
    Map {
        reader: Reader<'de>,
        number: u32,
    },
    Json {
        members: std::vec::IntoIter<(Cow<'de, str>, &'de [u8])>,
        name: Cow<'de, str>,
    },
}

/// Name of a member, in a form that is cheap to replace.
#[derive(Debug, Clone, Copy)]
pub(super) enum MemberName<'de> {
    Field(&'static str),
    /// Key of a map, not yet validated.
    Key(&'de [u8]),
    /// The name that the source holds.
    Json,
    /// The end of the members.
    End,
}

// === impl Members ===

impl<'de> Members<'de> {
    /// Creates empty members, to be [opened](Self::open). Not inlined, because every type calls it.
    #[inline(never)]
    pub(super) fn new(context: Context) -> Self {
        Self {
            source: MemberSource::Message(Fields::default()),
            name: MemberName::Field(""),
            value: Value::null(context),
        }
    }

    /// Creates the members of an object whose type is known.
    pub(super) fn of_object(
        message: Message,
        bytes: &'de [u8],
        type_meta: Option<TypeMeta<'de>>,
        context: Context,
    ) -> Result<Self, Error> {
        let mut members = Self::new(context.deeper()?);
        match type_meta {
            None => members.open_message(message, bytes),
            Some(type_meta) => {
                members.source = MemberSource::Object {
                    message,
                    bytes,
                    type_meta,
                    is_kind_next: false,
                }
            }
        }
        Ok(members)
    }

    /// Replaces the members by those of a value; `false` if the value is not an object in JSON.
    pub(super) fn open(&mut self, value: &Value<'de>) -> Result<bool, Error> {
        match (value.data, value.shape) {
            (Data::Bytes(bytes), Shape::Message) => {
                self.value.context = value.context.deeper()?;
                self.open_message(value.target, bytes);
            }
            (Data::Map(run), _) => {
                self.value = *value;
                self.value.context = value.context.deeper()?;
                self.open_map(run);
            }
            _ => match value.form()? {
                Form::Map(members) => *self = members,
                _ => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Creates the members of a value that is an envelope.
    pub(super) fn of_envelope(bytes: &'de [u8], context: Context) -> Result<Self, Error> {
        let envelope = Envelope::parse(bytes)?;
        let (message, type_meta) = TypeMeta::of(&envelope)?;
        Self::of_object(message, envelope.raw, Some(type_meta), context)
    }

    pub(super) fn of_json(
        members: Vec<(Cow<'de, str>, &'de [u8])>,
        context: Context,
    ) -> Result<Self, Error> {
        let mut opened = Self::new(context.deeper()?);
        opened.source = MemberSource::Json {
            members: members.into_iter(),
            name: Cow::Borrowed(""),
        };
        Ok(opened)
    }

    #[inline]
    fn open_message(&mut self, message: Message, bytes: &'de [u8]) {
        self.source = MemberSource::Message(Fields::new(message, bytes, self.value.context));
    }

    fn open_map(&mut self, run: RecordRun<'de>) {
        self.source = MemberSource::Map {
            reader: Reader::new(run.bytes),
            number: run.number,
        };
    }

    /// Returns the value of the last member.
    #[inline]
    pub(super) fn value(&self) -> &Value<'de> {
        &self.value
    }

    /// Returns the name of the last member; `None` at the end.
    #[inline]
    pub(super) fn name(&self) -> Option<Cow<'de, str>> {
        match self.name {
            MemberName::Field(name) => Some(Cow::Borrowed(name)),
            _ => self.other_name(),
        }
    }

    fn other_name(&self) -> Option<Cow<'de, str>> {
        match (self.name, &self.source) {
            (MemberName::Field(name), _) => Some(Cow::Borrowed(name)),
            (MemberName::Key(key), _) => Some(lossy_text(key)),
            (MemberName::Json, MemberSource::Json { name, .. }) => Some(name.clone()),
            (MemberName::Json | MemberName::End, _) => None,
        }
    }

    /// Returns the error with the current member added to its path.
    #[cold]
    #[inline(never)]
    pub(super) fn located(&self, error: Error) -> Error {
        error.inside(self.segment())
    }

    /// Returns the path segment of the current member, for errors.
    #[cold]
    fn segment(&self) -> Segment {
        match self.name {
            MemberName::Field(name) => Segment::Field(name),
            _ => Segment::Key(self.other_name().unwrap_or_default().into_owned()),
        }
    }

    /// Reads the next member.
    pub(super) fn advance(&mut self) -> Result<(), Error> {
        match &mut self.source {
            MemberSource::Message(fields) => fields.next(&mut self.name, &mut self.value),
            _ => self.advance_others(),
        }
    }

    fn advance_others(&mut self) -> Result<(), Error> {
        self.name = match &mut self.source {
            MemberSource::Message(fields) => return fields.next(&mut self.name, &mut self.value),
            MemberSource::Object {
                message,
                bytes,
                type_meta,
                is_kind_next,
            } => {
                let (name, text) = if *is_kind_next {
                    let fields = Fields::new(*message, bytes, self.value.context);
                    let kind = type_meta.kind;
                    self.source = MemberSource::Message(fields);
                    ("kind", kind)
                } else {
                    *is_kind_next = true;
                    ("apiVersion", type_meta.api_version)
                };
                self.value.shape = Shape::String;
                self.value.data = Data::Bytes(text.as_bytes());
                MemberName::Field(name)
            }
            MemberSource::Json { members, name } => match members.next() {
                Some((next, text)) => {
                    *name = next;
                    self.value = Value::json(text, self.value.context);
                    MemberName::Json
                }
                None => MemberName::End,
            },
            MemberSource::Map { reader, number } => match reader.record()? {
                Some((found, Payload::Bytes(entry))) if found == *number => {
                    let (key, data) = entry_of(entry, self.value.shape)?;
                    self.value.data = data;
                    MemberName::Key(key)
                }
                Some(_) => return Err(Malformed("the entries of a map").into()),
                None => MemberName::End,
            },
        };
        Ok(())
    }
}

/// Returns the key and the value of a map's entry; a missing one is empty.
fn entry_of(entry: &[u8], shape: Shape) -> Result<(&[u8], Data<'_>), Malformed> {
    let mut key: &[u8] = &[];
    let mut value = if shape.is_number() {
        Data::Number(0)
    } else {
        Data::Bytes(&[])
    };
    let mut reader = Reader::new(entry);
    while let Some((number, payload)) = reader.record()? {
        match (number, payload) {
            (1, Payload::Bytes(bytes)) => key = bytes,
            (2, payload) => value = Data::of(shape, payload)?,
            _ => return Err(Malformed("a key and a value")),
        }
    }
    Ok((key, value))
}
