//! [`Decoder`]: the second pass, a [`serde::Deserializer`].

use std::slice;

use serde::de::value::{BorrowedStrDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error as _, Expected, Visitor};

use super::access::{Collection, TaggedVariant, UnitVariant};
use super::error::Error;
use super::escape::unescape;
use super::number::Number;
use super::survey::{MAX_DEPTH, string_end};

/// Name by which `serde_json::value::RawValue` requests its raw text.
const RAW_VALUE: &str = "$serde_json::private::RawValue";

/// State of decoding a text.
#[derive(Debug)]
pub(super) struct Decoder<'de, 'm> {
    pub(super) text: &'de str,
    /// Offset of the next byte.
    pub(super) at: usize,
    /// Marks of the strings, arrays and objects at or after that byte.
    marks: slice::Iter<'m, u32>,
    /// Number of further levels of nesting that are allowed.
    depth: usize,
    /// `true` if the text is known not to be JSON.
    is_malformed: bool,
    /// `true` after a visitor rejected a value: [`at`](Self::at) may then point inside that value.
    is_lost: bool,
    /// The last string with escapes, unescaped.
    unescaped: String,
}

/// A position in the text to which the decoder can return.
pub(super) struct Position<'m> {
    at: usize,
    marks: slice::Iter<'m, u32>,
    depth: usize,
}

/// A string of the text.
pub(super) enum Text<'de> {
    Plain(&'de str),
    /// With escapes.
    Escaped(&'de str),
}

// === impl Decoder ===

impl<'de, 'm> Decoder<'de, 'm> {
    pub(super) fn new(text: &'de str, marks: &'m [u32]) -> Self {
        Self {
            text,
            at: 0,
            marks: marks.iter(),
            depth: MAX_DEPTH,
            is_malformed: false,
            is_lost: false,
            unescaped: String::new(),
        }
    }

    /// Ends the text.
    ///
    /// # Errors
    ///
    /// Fails if more tokens follow.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        match self.next_token() {
            None => Ok(()),
            Some(_) => Err(Error::malformed()),
        }
    }

    /// Returns the error of a text that is not JSON.
    pub(super) fn malformed<T>(&mut self) -> Result<T, Error> {
        self.is_malformed = true;
        Err(Error::malformed())
    }

    /// Records whether the visitor rejected a value.
    pub(super) fn note_rejection<T>(&mut self, result: Result<T, Error>) -> Result<T, Error> {
        self.is_lost |= result.is_err();
        result
    }

    /// Consumes the next value, and returns the error that its type is not the expected one.
    fn mismatch(&mut self, expected: &dyn Expected) -> Error {
        self.is_lost = true;
        match self.take_found() {
            Ok(found) => Error::custom(format_args!("invalid type: {found}, expected {expected}")),
            Err(malformed) => malformed,
        }
    }

    /// Consumes a value, and returns serde's term for its type.
    fn take_found(&mut self) -> Result<&'static str, Error> {
        let first = self.token()?;
        let value = self.take_value()?;
        Ok(match first {
            b'"' => "string",
            b'{' => "map",
            b'[' => "sequence",
            b't' | b'f' => "boolean",
            b'n' => "null",
            _ if value.contains(['.', 'e', 'E']) => "floating point",
            _ => "integer",
        })
    }

    pub(super) fn position(&self) -> Position<'m> {
        Position {
            at: self.at,
            marks: self.marks.clone(),
            depth: self.depth,
        }
    }

    /// Moves to the end of the value that begins at `start`, if its type recovered from a value
    /// that it rejected.
    #[inline]
    pub(super) fn settle(&mut self, start: Position<'m>) -> Result<(), Error> {
        if self.is_malformed {
            return Err(Error::malformed());
        }
        if self.is_lost {
            self.is_lost = false;
            Position {
                at: self.at,
                marks: self.marks,
                depth: self.depth,
            } = start;
            self.skip_value()?;
        }
        Ok(())
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Skips white space. Returns the next byte without consuming it; `None` at the end of the
    /// text.
    fn next_token(&mut self) -> Option<u8> {
        while let Some(byte) = self.byte(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    /// Skips white space, of which API servers send none. Returns the next byte without consuming
    /// it.
    #[inline]
    pub(super) fn token(&mut self) -> Result<u8, Error> {
        match self.byte(self.at) {
            Some(byte) if byte > b' ' => Ok(byte),
            _ => self.token_after_space(),
        }
    }

    #[cold]
    fn token_after_space(&mut self) -> Result<u8, Error> {
        match self.next_token() {
            Some(byte) => Ok(byte),
            None => self.malformed(),
        }
    }

    /// Consumes this token.
    #[inline]
    pub(super) fn take(&mut self, expected: u8) -> Result<(), Error> {
        if self.token()? == expected {
            self.at += 1;
            Ok(())
        } else {
            self.malformed()
        }
    }

    pub(super) fn take_word(&mut self, word: &str) -> Result<(), Error> {
        let end = self.at + word.len();
        if self.text.as_bytes().get(self.at..end) == Some(word.as_bytes()) {
            self.at = end;
            Ok(())
        } else {
            self.malformed()
        }
    }

    fn mark(&mut self) -> Result<u32, Error> {
        match self.marks.next() {
            Some(&mark) => Ok(mark),
            None => self.malformed(),
        }
    }

    /// Consumes the string whose opening quote is the next byte.
    pub(super) fn take_text(&mut self) -> Result<Text<'de>, Error> {
        let quote = self.at;
        let (end, is_escaped) = string_end(self.mark()?);
        self.at = end + 1;
        match self.text.get(quote + 1..end) {
            Some(text) if is_escaped => Ok(Text::Escaped(text)),
            Some(text) => Ok(Text::Plain(text)),
            None => self.malformed(),
        }
    }

    /// Consumes the next byte, an opening bracket. Returns the number of parts; 0 if `close`
    /// follows directly.
    pub(super) fn enter(&mut self, close: u8) -> Result<usize, Error> {
        let commas = self.mark()?;
        self.at += 1;
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => return self.malformed(),
        }
        if self.token()? == close {
            return Ok(0);
        }
        Ok(commas as usize + 1)
    }

    /// Consumes the closing bracket after a value, and records whether the visitor rejected it.
    #[inline]
    fn leave_with<T>(&mut self, mut value: Result<T, Error>, close: u8) -> Result<T, Error> {
        // Changed in place, because a value of a large type is copied when it is moved.
        if value.is_err() {
            self.is_lost = true;
        } else if let Err(error) = self.leave(close) {
            value = Err(error);
        }
        value
    }

    /// Consumes the closing bracket.
    pub(super) fn leave(&mut self, close: u8) -> Result<(), Error> {
        self.depth += 1;
        if self.token()? == b',' {
            self.is_lost = true;
            return Err(Error::invalid_length(0, &"fewer parts"));
        }
        self.take(close)
    }

    fn any<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b'"' => self.string(visitor),
            b'{' => self.object(visitor),
            b'[' => self.array(visitor),
            b't' => {
                self.take_word("true")?;
                let value = visitor.visit_bool(true);
                self.note_rejection(value)
            }
            b'f' => {
                self.take_word("false")?;
                let value = visitor.visit_bool(false);
                self.note_rejection(value)
            }
            b'n' => {
                self.take_word("null")?;
                let value = visitor.visit_unit();
                self.note_rejection(value)
            }
            _ => {
                let value = match self.take_number()? {
                    Number::Natural(number) => visitor.visit_u64(number),
                    Number::Negative(number) => visitor.visit_i64(number),
                    Number::Other(text) => {
                        via_number(text, |number| number.deserialize_any(visitor))
                    }
                };
                self.note_rejection(value)
            }
        }
    }

    pub(super) fn string<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let value = match self.take_text()? {
            Text::Plain(text) => visitor.visit_borrowed_str(text),
            Text::Escaped(text) => self.with_unescaped(text, |text| visitor.visit_str(text)),
        };
        self.note_rejection(value)
    }

    /// Unescapes `text` and passes it to `use_text`.
    pub(super) fn with_unescaped<T>(
        &mut self,
        text: &str,
        use_text: impl FnOnce(&str) -> Result<T, Error>,
    ) -> Result<T, Error> {
        unescape(text, &mut self.unescaped)?;
        use_text(&self.unescaped)
    }

    fn object<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let members = self.enter(b'}')?;
        let value = visitor.visit_map(Collection::new(self, b'}', members));
        self.leave_with(value, b'}')
    }

    fn array<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, Error> {
        let elements = self.enter(b']')?;
        let value = visitor.visit_seq(Collection::new(self, b']', elements));
        self.leave_with(value, b']')
    }
}

/// Parses a number by `serde_json`, and passes it to `decode`.
pub(super) fn via_number<T>(
    text: &str,
    decode: impl FnOnce(serde_json::Number) -> serde_json::Result<T>,
) -> Result<T, Error> {
    Ok(decode(text.parse()?)?)
}

/// Decodes a 128-bit integer by `serde_json`, whose [`Number`](serde_json::Number) cannot hold it.
pub(super) fn wide<'de, T>(
    text: &'de str,
    decode: impl FnOnce(
        &mut serde_json::Deserializer<serde_json::de::StrRead<'de>>,
    ) -> serde_json::Result<T>,
) -> Result<T, Error> {
    let mut decoder = serde_json::Deserializer::from_str(text);
    let value = decode(&mut decoder)?;
    decoder.end()?;
    Ok(value)
}

/// Methods for which `serde_json` accepts numbers only.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            if !matches!(self.token()?, b'-' | b'0'..=b'9') {
                return Err(self.mismatch(&visitor));
            }
            let value = match self.take_number()? {
                Number::Natural(number) => visitor.visit_u64(number),
                Number::Negative(number) => visitor.visit_i64(number),
                Number::Other(text) => via_number(text, |number| number.$method(visitor)),
            };
            self.note_rejection(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Decoder<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.any(visitor)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b't' | b'f' => self.any(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_f32 deserialize_f64
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !matches!(self.token()?, b'-' | b'0'..=b'9') {
            return Err(self.mismatch(&visitor));
        }
        let number = self.take_number_text()?;
        let value = wide(number, |number| number.deserialize_i128(visitor));
        self.note_rejection(value)
    }

    fn deserialize_u128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !matches!(self.token()?, b'-' | b'0'..=b'9') {
            return Err(self.mismatch(&visitor));
        }
        let number = self.take_number_text()?;
        let value = wide(number, |number| number.deserialize_u128(visitor));
        self.note_rejection(value)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b'"' => self.string(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = match self.token()? {
            b'[' => return self.array(visitor),
            b'"' => match self.take_text()? {
                Text::Plain(text) => visitor.visit_borrowed_bytes(text.as_bytes()),
                Text::Escaped(text) => {
                    self.with_unescaped(text, |text| visitor.visit_bytes(text.as_bytes()))
                }
            },
            _ => return Err(self.mismatch(&visitor)),
        };
        self.note_rejection(value)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = if self.token()? == b'n' {
            self.take_word("null")?;
            visitor.visit_none()
        } else {
            visitor.visit_some(&mut *self)
        };
        self.note_rejection(value)
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b'n' => self.any(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = if name == RAW_VALUE {
            let value = self.take_value()?;
            let name = BorrowedStrDeserializer::<Error>::new(RAW_VALUE);
            let member = (name, BorrowedStrDeserializer::new(value));
            visitor.visit_map(MapDeserializer::new([member].into_iter()))
        } else {
            visitor.visit_newtype_struct(&mut *self)
        };
        self.note_rejection(value)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b'[' => self.array(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.token()? {
            b'{' => self.object(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.token()? {
            b'{' => self.object(visitor),
            b'[' => self.array(visitor),
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.token()? {
            b'"' => {
                let value = visitor.visit_enum(UnitVariant::new(self));
                self.note_rejection(value)
            }
            b'{' => {
                self.enter(b'}')?;
                let value = visitor.visit_enum(TaggedVariant::new(self));
                self.leave_with(value, b'}')
            }
            _ => Err(self.mismatch(&visitor)),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.skip_value()?;
        let value = visitor.visit_unit();
        self.note_rejection(value)
    }
}
