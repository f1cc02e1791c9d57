//! Walks through a list.

use super::Context;
use super::value::{Data, Run, Value};
use crate::error::Error;
use crate::tables::{Message, Shape};
use crate::wire::{Malformed, Payload, Reader};

/// The values of a list.
pub(super) struct Elements<'de> {
    source: Source<'de>,
    context: Context,
    /// How many were read.
    pub(super) index: usize,
    /// How many follow.
    pub(super) left: usize,
}

enum Source<'de> {
    Records {
        reader: Reader<'de>,
        number: u32,
        shape: Shape,
        target: Message,
    },
    Json(std::vec::IntoIter<&'de [u8]>),
}

// === impl Elements ===

impl<'de> Elements<'de> {
    /// Those of a run of records, each of which is like `value`.
    pub(super) fn of(run: Run<'de>, value: Value<'de>) -> Result<Self, Error> {
        Ok(Self {
            source: Source::Records {
                reader: Reader::new(run.bytes),
                number: run.number,
                shape: value.shape,
                target: value.target,
            },
            context: value.context.deeper()?,
            index: 0,
            left: run.count,
        })
    }

    pub(super) fn of_json(texts: Vec<&'de [u8]>, context: Context) -> Result<Self, Error> {
        Ok(Self {
            context: context.deeper()?,
            index: 0,
            left: texts.len(),
            source: Source::Json(texts.into_iter()),
        })
    }

    pub(super) fn next(&mut self) -> Result<Option<Value<'de>>, Error> {
        let context = self.context;
        let value = match &mut self.source {
            Source::Json(texts) => texts.next().map(|text| Value::json(text, context)),
            Source::Records {
                reader,
                number,
                shape,
                target,
            } => match reader.record()? {
                None => None,
                Some((found, _)) if found != *number => {
                    return Err(Malformed("one field only").into());
                }
                Some((_, payload)) => Some(Value {
                    shape: *shape,
                    target: *target,
                    data: data(*shape, payload)?,
                    context,
                }),
            },
        };
        if value.is_some() {
            self.index += 1;
            self.left = self.left.saturating_sub(1);
        }
        Ok(value)
    }
}

/// The data of a value of this shape.
pub(super) fn data(shape: Shape, payload: Payload<'_>) -> Result<Data<'_>, Malformed> {
    let is_number = matches!(
        shape,
        Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double
    );
    match payload {
        Payload::Fixed64(number) if shape == Shape::Double => Ok(Data::Number(number)),
        Payload::Varint(number) if is_number && shape != Shape::Double => Ok(Data::Number(number)),
        Payload::Bytes(bytes) if !is_number => Ok(Data::Bytes(bytes)),
        _ if is_number => Err(Malformed("a number")),
        _ => Err(Malformed("a length")),
    }
}
