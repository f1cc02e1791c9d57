//! Iteration over a message, in the order of the tables.

use super::Context;
use super::members::MemberName;
use super::value::{Data, RecordRun, Value};
use crate::error::{Error, ErrorKind};
use crate::tables::{Field, FieldsLeft, Message};
use crate::wire::{Payload, Reader, Tag};

/// Members of the JSON object that a message represents.
///
/// The message's records and its table are both sorted by number. One pass over both finds the
/// present fields, and the absent fields that JSON has nevertheless.
#[derive(Debug, Default)]
pub(super) struct Fields<'de> {
    current: Frame<'de>,
    /// Messages that `current` is inlined in, the innermost first.
    outer: [Option<Frame<'de>>; 2],
}

/// A message that is partly read.
#[derive(Debug, Default)]
struct Frame<'de> {
    reader: Reader<'de>,
    /// Remaining fields of the table.
    table: FieldsLeft,
    /// Smallest number that the next record may have.
    least: u32,
}

/// Result of one step of a frame.
enum MemberStep<'de> {
    /// A member, which the step has stored.
    Member,
    Inlined(Message, &'de [u8]),
    End,
}

// === impl Fields ===

impl<'de> Fields<'de> {
    pub(super) fn new(message: Message, bytes: &'de [u8], context: Context) -> Self {
        Self {
            current: Frame::new(message, bytes, context),
            outer: [None, None],
        }
    }

    /// Stores the next member in `name` and `value`; at the end, sets only the name, to its end
    /// marker.
    ///
    /// Stored directly: returning them would copy more bytes than most values have.
    #[inline]
    pub(super) fn next(
        &mut self,
        name: &mut MemberName<'de>,
        value: &mut Value<'de>,
    ) -> Result<(), Error> {
        loop {
            match self.current.step(name, value)? {
                MemberStep::Member => return Ok(()),
                MemberStep::Inlined(message, bytes) => {
                    let inner = Frame::new(message, bytes, value.context);
                    let outer = std::mem::replace(&mut self.current, inner);
                    let [first, second] = &mut self.outer;
                    *second = first.replace(outer);
                }
                MemberStep::End => {
                    let [first, second] = &mut self.outer;
                    let Some(outer) = std::mem::replace(first, second.take()) else {
                        *name = MemberName::End;
                        return Ok(());
                    };
                    self.current = outer;
                }
            }
        }
    }
}

// === impl Frame ===

impl<'de> Frame<'de> {
    #[inline]
    fn new(message: Message, bytes: &'de [u8], context: Context) -> Self {
        let mut table = message.entries();
        if message == Message::OBJECT_META && context.skip_managed_fields {
            // The table's last field: without it, the decoder skips it as unknown.
            table.drop_last();
        }
        Self {
            reader: Reader::new(bytes),
            table,
            least: 0,
        }
    }

    #[inline]
    fn step(
        &mut self,
        name: &mut MemberName<'de>,
        value: &mut Value<'de>,
    ) -> Result<MemberStep<'de>, Error> {
        loop {
            // A copy, because the tag is read again after absent fields.
            let mut reader = self.reader;
            let Some(tag) = reader.tag()? else {
                return Ok(self.step_absent(name, value));
            };
            if tag.number < self.least {
                return Err(unusual("fields out of order"));
            }
            let known = loop {
                match self.table.peek() {
                    Some(next) if next.number() <= tag.number => {
                        self.table.step();
                        if next.number() == tag.number {
                            break Some(next);
                        }
                        if next.is_expected() {
                            return Ok(absent(next, name, value));
                        }
                    }
                    _ => break None,
                }
            };
            let Some(field) = known else {
                // The field is not in the table.
                reader.payload(tag.wire_type)?;
                self.reader = reader;
                self.least = tag.number;
                continue;
            };
            self.least = tag.number + 1;
            let shape = field.shape();
            let data = if field.is_many() {
                self.many(field, tag, reader)?
            } else {
                let payload = reader.payload(tag.wire_type)?;
                self.reader = reader;
                if field.is_inline()
                    && let Payload::Bytes(bytes) = payload
                {
                    return Ok(MemberStep::Inlined(field.target(), bytes));
                }
                match Data::of(shape, payload) {
                    Ok(one) => one,
                    Err(error) => return Err(Error::from(error).inside(field.name().into())),
                }
            };
            value.set(shape, field.target(), data);
            if !field.is_omitted() || !value.is_empty(field.is_pointer()) {
                *name = MemberName::Field(field.name());
                return Ok(MemberStep::Member);
            }
        }
    }

    /// Returns the next absent field that JSON has, after the last record.
    fn step_absent(
        &mut self,
        name: &mut MemberName<'de>,
        value: &mut Value<'de>,
    ) -> MemberStep<'de> {
        while let Some(field) = self.table.peek() {
            self.table.step();
            if field.is_expected() {
                return absent(field, name, value);
            }
        }
        MemberStep::End
    }

    /// Finds the end of a list or map; `reader` is after its first tag.
    fn many(
        &mut self,
        field: Field,
        tag: Tag,
        mut reader: Reader<'de>,
    ) -> Result<Data<'de>, Error> {
        if field.is_packed(tag.wire_type) {
            return Err(unusual("a packed list"));
        }
        let here = self.reader.rest();
        let mut count: u32 = 0;
        let mut next = Some(tag);
        while let Some(tag) = next.filter(|next| next.number == tag.number) {
            reader.payload(tag.wire_type)?;
            self.reader = reader;
            count = count.saturating_add(1);
            next = reader.tag()?;
        }
        let length = here.len() - self.reader.rest().len();
        let run = RecordRun {
            bytes: here.get(..length).unwrap_or_default(),
            number: tag.number,
            count,
        };
        Ok(if field.is_map() {
            Data::Map(run)
        } else {
            Data::List(run)
        })
    }
}

/// Stores JSON's value of an absent field.
fn absent<'de>(
    field: Field,
    name: &mut MemberName<'de>,
    value: &mut Value<'de>,
) -> MemberStep<'de> {
    if field.is_inline() {
        return MemberStep::Inlined(field.target(), &[]);
    }
    *name = MemberName::Field(field.name());
    value.set_empty(field);
    MemberStep::Member
}

#[cold]
fn unusual(what: &'static str) -> Error {
    Error::new(ErrorKind::Unusual(what))
}
