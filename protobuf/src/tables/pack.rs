//! Packs the rows of `generated.rs` while the crate is compiled.
//!
//! A name is a range of one text, and a message a range of one array of fields. So the tables need no
//! pointers, which take more memory than what they point to, and which the program's start has to
//! relocate.

use super::generated::{Id, MESSAGES, NAMES, Name};
use super::{Field, Message, Shape};

/// Range of [`TEXT`](super::TEXT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) start: u16,
    pub(super) length: u8,
}

/// Kind of an apiVersion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) api_version: Label,
    pub(super) name: Label,
    pub(super) message: Message,
}

/// Returns the field of a row, which names the message of the field's values.
pub(super) const fn row(
    number: u8,
    named: Name,
    shape: Shape,
    target: Option<Id>,
    flags: u8,
) -> Field {
    let Label { start, length } = label(named);
    let message = match target {
        Some(id) => Message(id as u16),
        None => Message(0),
    };
    Field {
        start,
        length,
        number,
        flags,
        shape,
        message,
    }
}

pub(super) const fn kind(group_version: Name, named: Name, message: Id) -> Kind {
    Kind {
        api_version: label(group_version),
        name: label(named),
        message: Message(message as u16),
    }
}

#[expect(clippy::indexing_slicing, reason = "has a label for each name")]
pub(super) const fn label(named: Name) -> Label {
    LABELS[named as usize]
}

/// Read only while the crate is compiled.
static LABELS: [Label; NAMES.len()] = labels();

const fn labels() -> [Label; NAMES.len()] {
    let mut labels = [Label {
        start: 0,
        length: 0,
    }; NAMES.len()];
    let mut unset: &mut [Label] = &mut labels;
    let mut names = NAMES;
    let mut start = 0;
    while let ([name, others @ ..], [label, rest @ ..]) = (names, unset) {
        *label = Label {
            start: narrow(start),
            length: narrow(name.len()).to_le_bytes()[0],
        };
        start += name.len();
        names = others;
        unset = rest;
    }
    labels
}

/// Joins the names.
pub(super) const fn text<const LENGTH: usize>() -> [u8; LENGTH] {
    let mut text = [0; LENGTH];
    let mut unset: &mut [u8] = &mut text;
    let mut names = NAMES;
    while let [name, others @ ..] = names {
        let (part, rest) = unset.split_at_mut(name.len());
        part.copy_from_slice(name.as_bytes());
        unset = rest;
        names = others;
    }
    text
}

pub(super) const fn length_of_text() -> usize {
    let mut length = 0;
    let mut names = NAMES;
    while let [name, others @ ..] = names {
        length += name.len();
        names = others;
    }
    length
}

/// Joins the fields of all messages.
pub(super) const fn fields<const COUNT: usize>() -> [Field; COUNT] {
    let mut fields = [Field::UNNAMED; COUNT];
    let mut unset: &mut [Field] = &mut fields;
    let mut messages = MESSAGES;
    while let [message, others @ ..] = messages {
        let (part, rest) = unset.split_at_mut(message.len());
        part.copy_from_slice(message);
        unset = rest;
        messages = others;
    }
    fields
}

pub(super) const fn number_of_fields() -> usize {
    let mut count = 0;
    let mut messages = MESSAGES;
    while let [message, others @ ..] = messages {
        count += message.len();
        messages = others;
    }
    count
}

/// Returns the position of the first field of each message, and that of the end.
pub(super) const fn starts() -> [u16; MESSAGES.len() + 1] {
    let mut starts = [0; MESSAGES.len() + 1];
    let [_, ends @ ..] = &mut starts;
    let mut unset: &mut [u16] = ends;
    let mut messages = MESSAGES;
    let mut end = 0;
    while let ([message, others @ ..], [start, rest @ ..]) = (messages, unset) {
        end += message.len();
        *start = narrow(end);
        messages = others;
        unset = rest;
    }
    starts
}

#[expect(clippy::cast_possible_truncation, reason = "is checked")]
const fn narrow(position: usize) -> u16 {
    assert!(position <= u16::MAX as usize, "more than 16 bits");
    position as u16
}
