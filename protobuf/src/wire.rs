//! Protobuf's records: tags, varints and lengths.
//!
//! A length is never trusted before its bytes have arrived.

use std::borrow::Cow;

use bytes::BufMut;

/// Error of bytes that are not protobuf, or not the expected message.
///
/// Names the expected element, and quotes none of the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("malformed protobuf: expected {0}")]
pub struct Malformed(pub &'static str);

/// A record without its tag.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Payload<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32,
    Bytes(&'a [u8]),
}

/// Encoding of a record's payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WireType {
    /// An integer of one to ten bytes.
    Varint = 0,
    /// Eight bytes.
    Fixed64 = 1,
    /// A length, and so many bytes.
    Bytes = 2,
    /// Four bytes.
    Fixed32 = 5,
}

/// Tag in front of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) number: u32,
    pub(crate) wire_type: WireType,
}

/// Records of one message.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

const TOO_SHORT: Malformed = Malformed("the number of bytes that a length announces");

// === impl Tag ===

impl Tag {
    #[inline]
    pub(crate) fn new(tag: u64) -> Result<Self, Malformed> {
        let wire_type = match tag & 7 {
            0 => WireType::Varint,
            1 => WireType::Fixed64,
            2 => WireType::Bytes,
            5 => WireType::Fixed32,
            // Kubernetes does not use groups.
            _ => return Err(Malformed("a wire type")),
        };
        // Field numbers have 29 bits.
        match u32::try_from(tag) {
            Ok(tag) if tag > 7 => Ok(Self {
                number: tag >> 3,
                wire_type,
            }),
            _ => Err(Malformed("a field number")),
        }
    }
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    /// Returns the next record's tag; `None` at the end of the message.
    #[inline]
    pub(crate) fn tag(&mut self) -> Result<Option<Tag>, Malformed> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        Tag::new(self.varint()?).map(Some)
    }

    #[inline]
    pub(crate) fn payload(&mut self, wire_type: WireType) -> Result<Payload<'a>, Malformed> {
        // The most frequent case; the others are not inlined into every caller.
        if wire_type == WireType::Bytes {
            return self.bytes().map(Payload::Bytes);
        }
        let (payload, rest) = number(self.rest, wire_type)?;
        self.rest = rest;
        Ok(payload)
    }

    /// Returns the next record.
    #[inline]
    pub(crate) fn record(&mut self) -> Result<Option<(u32, Payload<'a>)>, Malformed> {
        // Fast path: most records are strings and messages, with one byte for the tag and one or
        // two for the length.
        let (number, length, rest) = match *self.rest {
            [tag @ 8..0x80, length @ ..0x80, ref rest @ ..] if tag & 7 == 2 => {
                (tag >> 3, usize::from(length), rest)
            }
            [tag @ 8..0x80, low, high @ ..0x80, ref rest @ ..] if tag & 7 == 2 => {
                let length = usize::from(low & 0x7f) | (usize::from(high) << 7);
                (tag >> 3, length, rest)
            }
            _ => return self.any_record(),
        };
        let Some((bytes, rest)) = rest.split_at_checked(length) else {
            return Err(TOO_SHORT);
        };
        self.rest = rest;
        Ok(Some((u32::from(number), Payload::Bytes(bytes))))
    }

    fn any_record(&mut self) -> Result<Option<(u32, Payload<'a>)>, Malformed> {
        let Some(tag) = self.tag()? else {
            return Ok(None);
        };
        Ok(Some((tag.number, self.payload(tag.wire_type)?)))
    }

    /// Returns the bytes after a length.
    #[inline]
    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let Ok(length) = usize::try_from(self.varint()?) else {
            return Err(TOO_SHORT);
        };
        let Some((bytes, rest)) = self.rest.split_at_checked(length) else {
            return Err(TOO_SHORT);
        };
        self.rest = rest;
        Ok(bytes)
    }

    // Most numbers are tags and lengths of one or two bytes.
    #[inline]
    fn varint(&mut self) -> Result<u64, Malformed> {
        match *self.rest {
            [byte, ref rest @ ..] if byte < 0x80 => {
                self.rest = rest;
                Ok(u64::from(byte))
            }
            [low, high, ref rest @ ..] if high < 0x80 => {
                self.rest = rest;
                Ok(u64::from(low & 0x7f) | (u64::from(high) << 7))
            }
            _ => {
                let (number, rest) = long_varint(self.rest)?;
                self.rest = rest;
                Ok(number)
            }
        }
    }
}

// Takes the bytes instead of the reader, so that the reader can stay in registers.

fn number(bytes: &[u8], wire_type: WireType) -> Result<(Payload<'_>, &[u8]), Malformed> {
    let mut reader = Reader::new(bytes);
    let payload = match wire_type {
        WireType::Varint => Payload::Varint(reader.varint()?),
        WireType::Bytes => Payload::Bytes(reader.bytes()?),
        WireType::Fixed64 => {
            let Some((number, rest)) = bytes.split_first_chunk() else {
                return Err(Malformed("eight bytes"));
            };
            reader.rest = rest;
            Payload::Fixed64(u64::from_le_bytes(*number))
        }
        WireType::Fixed32 => {
            let Some((_, rest)) = bytes.split_first_chunk::<4>() else {
                return Err(Malformed("four bytes"));
            };
            reader.rest = rest;
            Payload::Fixed32
        }
    };
    Ok((payload, reader.rest))
}

fn long_varint(mut rest: &[u8]) -> Result<(u64, &[u8]), Malformed> {
    let mut varint = Varint::default();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if let Some(value) = varint.push(byte)? {
            return Ok((value, rest));
        }
    }
    Err(Malformed("the end of a number"))
}

/// Converts a string as Go does for JSON: each byte that is not UTF-8 becomes U+FFFD.
pub(crate) fn lossy_text(bytes: &[u8]) -> Cow<'_, str> {
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

/// A varint whose bytes arrive one by one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Varint {
    value: u64,
    shift: u32,
}

// === impl Varint ===

impl Varint {
    /// Processes the next byte; returns the value after the last byte.
    pub(crate) fn push(&mut self, byte: u8) -> Result<Option<u64>, Malformed> {
        let bits = u64::from(byte & 0x7f);
        // Only one bit of the tenth byte fits.
        if self.shift > 63 || (self.shift == 63 && bits > 1) {
            return Err(Malformed("a number of 64 bits"));
        }
        self.value |= bits << self.shift;
        self.shift += 7;
        Ok((byte < 0x80).then_some(self.value))
    }
}

// === writing ===

/// Appends an integer: the payload of a record of [`WireType::Varint`], or a length.
pub fn put_varint(out: &mut impl BufMut, mut value: u64) {
    while value >= 0x80 {
        out.put_u8(value.to_le_bytes()[0] | 0x80);
        value >>= 7;
    }
    out.put_u8(value.to_le_bytes()[0]);
}

/// Appends the tag of a record; its payload follows.
pub fn put_tag(out: &mut impl BufMut, number: u32, wire_type: WireType) {
    put_varint(out, (u64::from(number) << 3) | wire_type as u64);
}

/// Appends a record of bytes, such as a string.
pub fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_head(out, number, bytes.len());
    out.extend_from_slice(bytes);
}

/// Writes the tag and the length in front of the `length` bytes of a record.
pub(crate) fn put_head(out: &mut Vec<u8>, number: u32, length: usize) {
    put_tag(out, number, WireType::Bytes);
    put_varint(out, length as u64);
}

/// Appends a record whose length is known only after `write` has appended its content, such as a
/// message.
///
/// # Errors
///
/// The error of `write`. `out` then ends with a part of the record.
pub fn put_nested<E>(
    out: &mut Vec<u8>,
    number: u32,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    put_tag(out, number, WireType::Bytes);
    let start = out.len();
    write(out)?;
    let length = (out.len() - start) as u64;
    let end = out.len();
    put_varint(out, length);
    // The length was appended after the content; the rotation moves it to the front.
    let width = out.len() - end;
    if let Some(record) = out.get_mut(start..) {
        record.rotate_right(width);
    }
    Ok(())
}

#[cfg(test)]
mod tests;

/// Returns the number of bytes that `put_varint` writes.
pub(crate) fn varint_width(value: u64) -> usize {
    (64 - (value | 1).leading_zeros() as usize).div_ceil(7)
}
