//! Walks through a message, in the order of the tables.

use super::Context;
use super::members::Name;
use super::value::{Data, Run, Value};
use crate::error::{Error, ErrorKind};
use crate::tables::{Field, Message};
use crate::wire::{Payload, Reader, Tag};

/// The members of the JSON object that a message is.
///
/// The message's records and its table are both sorted by number: one pass over the two finds what
/// is there, and what is not but has to be in JSON.
#[derive(Debug, Clone)]
pub(super) struct Fields<'de> {
    current: Frame<'de>,
    /// The messages that `current` is inlined in, the innermost first.
    outer: [Option<Frame<'de>>; 2],
    context: Context,
}

#[derive(Debug, Clone, Copy)]
struct Frame<'de> {
    reader: Reader<'de>,
    /// The tag that was read, and whose payload is next.
    tag: Option<Tag>,
    /// The bytes from that tag on.
    record: &'de [u8],
    /// The number of the last record.
    last: u32,
    /// Where the table goes on, and where it ends.
    next: usize,
    end: usize,
}

/// What one step of a frame finds.
enum Step<'de> {
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
            context,
        }
    }

    /// Puts the next member into `out`, and nothing at the end.
    ///
    /// Into its place at once: moved through results, it would cost more than all else here.
    #[inline]
    pub(super) fn next(&mut self, out: &mut Option<(Name<'de>, Value<'de>)>) -> Result<(), Error> {
        loop {
            match self.current.step(self.context, out)? {
                Step::Member => return Ok(()),
                Step::Inlined(message, bytes) => {
                    let inner = Frame::new(message, bytes, self.context);
                    let outer = std::mem::replace(&mut self.current, inner);
                    let [first, second] = &mut self.outer;
                    *second = first.replace(outer);
                }
                Step::End => {
                    let [first, second] = &mut self.outer;
                    match std::mem::replace(first, second.take()) {
                        Some(outer) => self.current = outer,
                        None => return Ok(()),
                    }
                }
            }
        }
    }
}

// === impl Frame ===

impl<'de> Frame<'de> {
    fn new(message: Message, bytes: &'de [u8], context: Context) -> Self {
        let (next, mut end) = message.range();
        if message == Message::OBJECT_META && context.skip_managed_fields {
            // The table's last field: without it, it is unknown, and skipped as such.
            end -= 1;
        }
        Self {
            reader: Reader::new(bytes),
            tag: None,
            record: bytes,
            last: 0,
            next,
            end,
        }
    }

    #[inline]
    fn step(
        &mut self,
        context: Context,
        out: &mut Option<(Name<'de>, Value<'de>)>,
    ) -> Result<Step<'de>, Error> {
        loop {
            let tag = self.peek()?;
            let field = (self.next < self.end)
                .then(|| Field::at(self.next))
                .flatten();
            match (field, tag) {
                (None, None) => return Ok(Step::End),
                (Some(field), Some(tag)) if field.number() == tag.number => {
                    self.next += 1;
                    if let Some(step) = self.present(field, tag, context, out)? {
                        return Ok(step);
                    }
                }
                (Some(field), tag) if tag.is_none_or(|tag| field.number() < tag.number) => {
                    self.next += 1;
                    if field.is_inline() {
                        return Ok(Step::Inlined(field.target(), &[]));
                    }
                    if !field.is_omitted() {
                        let value = Value::empty(field, context);
                        *out = Some((Name::Field(field.name()), value));
                        return Ok(Step::Member);
                    }
                }
                (_, Some(tag)) => self.skip(tag)?,
                (Some(_), None) => self.next += 1,
            }
        }
    }

    /// The next record's tag.
    #[inline]
    fn peek(&mut self) -> Result<Option<Tag>, Error> {
        if self.tag.is_none() {
            self.record = self.reader.rest();
            self.tag = self.reader.tag()?;
            if self.tag.is_some_and(|tag| tag.number < self.last) {
                return Err(unusual("fields out of order"));
            }
        }
        Ok(self.tag)
    }

    /// Reads the field that the next record is of; `None` if JSON has no member for it.
    #[inline]
    fn present(
        &mut self,
        field: Field,
        tag: Tag,
        context: Context,
        out: &mut Option<(Name<'de>, Value<'de>)>,
    ) -> Result<Option<Step<'de>>, Error> {
        self.tag = None;
        if field.is_repeated() || field.is_map() {
            self.last = tag.number;
            if field.is_packed(tag.wire_type) {
                return Err(unusual("a packed list"));
            }
            let run = self.run(tag)?;
            self.last = tag.number + 1;
            let data = if field.is_map() {
                Data::Map(run)
            } else {
                Data::List(run)
            };
            let value = Value::of(field, data, context);
            *out = Some((Name::Field(field.name()), value));
            return Ok(Some(Step::Member));
        }
        // The next record has a greater number.
        self.last = tag.number + 1;
        let payload = self.reader.payload(tag.wire_type)?;
        if let (true, Payload::Bytes(bytes)) = (field.is_inline(), payload) {
            return Ok(Some(Step::Inlined(field.target(), bytes)));
        }
        let value = Value::new(field, payload, context)
            .map_err(|error| Error::from(error).inside(field.name().into()))?;
        if field.is_omitted() && value.is_empty(field.is_pointer()) {
            return Ok(None);
        }
        *out = Some((Name::Field(field.name()), value));
        Ok(Some(Step::Member))
    }

    /// Finds the end of a list or map, whose first tag was read.
    fn run(&mut self, tag: Tag) -> Result<Run<'de>, Error> {
        let start = self.record;
        self.reader.payload(tag.wire_type)?;
        let mut count = 1;
        let end = loop {
            let end = self.reader.rest().len();
            if self.peek()?.is_none_or(|next| next.number != tag.number) {
                break end;
            }
            self.reader.payload(tag.wire_type)?;
            self.tag = None;
            count += 1;
        };
        Ok(Run {
            bytes: start.get(..start.len() - end).unwrap_or_default(),
            number: tag.number,
            count,
        })
    }

    /// Steps over a record that the table does not know.
    fn skip(&mut self, tag: Tag) -> Result<(), Error> {
        self.tag = None;
        self.last = tag.number;
        self.reader.payload(tag.wire_type)?;
        Ok(())
    }
}

fn unusual(what: &'static str) -> Error {
    Error::new(ErrorKind::Unusual(what))
}
