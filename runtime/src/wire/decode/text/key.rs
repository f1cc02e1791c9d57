//! [`Key`]: the name of a member, which may have to be a number or a `bool`.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::Refused;
use super::decoder::{Decoder, Text, ask};

/// A key whose opening quote is next.
pub(super) struct Key<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

// === impl Key ===

impl<'a, 'de, 'm> Key<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Result<Self, Refused> {
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
    fn number(&mut self) -> Result<&'de str, Refused> {
        match self.decoder.take_text()? {
            Text::Plain(text) if text.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
                Ok(text)
            }
            Text::Plain(_) | Text::Escaped(_) => self.decoder.refuse(),
        }
    }
}

/// Keys that are numbers in quotes.
macro_rules! numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Refused> {
            let number = self.number()?;
            // Behind a number, white space passes there; before the quote it does not.
            if number.ends_with(|c: char| c.is_ascii_whitespace()) {
                return self.decoder.refuse();
            }
            let value = ask(number, |number| number.$method(visitor));
            self.decoder.given(value)
        }
    )*};
}

impl<'de> Deserializer<'de> for Key<'_, 'de, '_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.decoder.string(visitor)
    }

    numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        let value = match self.decoder.take_text()? {
            Text::Plain("true") => visitor.visit_bool(true),
            Text::Plain("false") => visitor.visit_bool(false),
            Text::Plain(_) | Text::Escaped(_) => Err(Refused),
        };
        self.decoder.given(value)
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Refused> {
        let value = visitor.visit_some(self.again());
        self.decoder.given(value)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        let value = visitor.visit_newtype_struct(self.again());
        self.decoder.given(value)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.decoder.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.decoder.deserialize_bytes(visitor)
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        self.decoder.deserialize_bytes(visitor)
    }

    forward_to_deserialize_any! {
        char str string unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
