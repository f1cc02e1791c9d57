//! [`Key`]: the name of a member, which may have to be a number or a `bool`.

use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::forward_to_deserialize_any;

use super::decoder::{Decoder, Text, wide};
use super::error::Error;

/// A key whose opening quote is next.
pub(super) struct Key<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

// === impl Key ===

impl<'a, 'de, 'm> Key<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Result<Self, Error> {
        if decoder.byte(decoder.at) != Some(b'"') {
            return decoder.refuse();
        }
        Ok(Self { decoder })
    }

    fn again(&mut self) -> Key<'_, 'de, 'm> {
        Key {
            decoder: &mut *self.decoder,
        }
    }

    /// The key, if it is a number and nothing else.
    fn number(&mut self) -> Result<&'de str, Error> {
        match self.decoder.take_text()? {
            Text::Plain(text) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Ok(text)
            }
            Text::Plain(text) | Text::Escaped(text) => {
                self.decoder.given(Err(no_key(text, "a number")))
            }
        }
    }
}

/// A key that is not what the type wants in quotes.
fn no_key(text: &str, wanted: &str) -> Error {
    Error::invalid_type(Unexpected::Str(text), &wanted)
}

/// Keys that are numbers in quotes.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
            let number = self.number()?;
            // Behind a number, white space passes there; before the quote it does not.
            if number.ends_with(|c: char| c.is_ascii_whitespace()) {
                return self.decoder.given(Err(no_key(number, "a number")));
            }
            let value = wide(number, |number| number.$method(visitor));
            self.decoder.given(value)
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
        self.decoder.given(value)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let value = visitor.visit_some(self.again());
        self.decoder.given(value)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let value = visitor.visit_newtype_struct(self.again());
        self.decoder.given(value)
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
