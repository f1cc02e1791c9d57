//! [`Key`]: the name of a member, which some types require to be a number or a `bool`.

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::decoder::{Decoder, Text, wide};
use super::error::Error;

/// A key whose opening quote is the next byte.
pub(super) struct Key<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

// === impl Key ===

impl<'a, 'de, 'm> Key<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Result<Self, Error> {
        if decoder.byte(decoder.at) != Some(b'"') {
            return decoder.malformed();
        }
        Ok(Self { decoder })
    }

    fn reborrow(&mut self) -> Key<'_, 'de, 'm> {
        Key {
            decoder: &mut *self.decoder,
        }
    }

    /// Returns the key if it is a plain number.
    fn number(&mut self) -> Result<&'de str, Error> {
        match self.decoder.take_text()? {
            Text::Plain(text) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Ok(text)
            }
            Text::Plain(text) | Text::Escaped(text) => {
                self.decoder.note_rejection(Err(no_key(text, "a number")))
            }
        }
    }
}

/// Returns the error of a key that is not of the expected type.
fn no_key(text: &str, expected: &str) -> Error {
    Error::invalid_type(Unexpected::Str(text), &expected)
}

/// Keys that are quoted numbers.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            let number = self.number()?;
            // `serde_json` allows white space after a number, but not before the closing quote.
            if number.ends_with(|c: char| c.is_ascii_whitespace()) {
                return self.decoder.note_rejection(Err(no_key(number, "a number")));
            }
            let value = wide(number, |number| number.$method(visitor));
            self.decoder.note_rejection(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'_, 'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.decoder.string(visitor)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let value = match self.decoder.take_text()? {
            Text::Plain("true") => visitor.visit_bool(true),
            Text::Plain("false") => visitor.visit_bool(false),
            Text::Plain(text) | Text::Escaped(text) => Err(no_key(text, "a boolean")),
        };
        self.decoder.note_rejection(value)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_some(self.reborrow());
        self.decoder.note_rejection(value)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = visitor.visit_newtype_struct(self.reborrow());
        self.decoder.note_rejection(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.decoder.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.decoder.deserialize_bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.decoder.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
