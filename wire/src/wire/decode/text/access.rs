//! Access of visitors to the parts of arrays, objects and enums.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, MapAccess,
    SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::decoder::Decoder;
use super::error::{Error, PathSegment};
use super::key::Key;

/// Elements of an array, or members of an object.
pub(super) struct Collection<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
    /// Closing bracket.
    close: u8,
    /// Number of parts that were consumed.
    taken: usize,
    /// Number of remaining parts, according to the commas.
    left: usize,
    /// Offset of the last key.
    key: usize,
}

/// Variant without content, named by a string.
pub(super) struct UnitVariant<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

/// Variant named by the only key of an object.
pub(super) struct TaggedVariant<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
    /// Offset of the key.
    key: usize,
}

// === impl Collection ===

impl<'a, 'de, 'm> Collection<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>, close: u8, left: usize) -> Self {
        Self {
            decoder,
            close,
            taken: 0,
            left,
            key: 0,
        }
    }

    /// Returns whether another part follows, and moves to it.
    fn has_next(&mut self) -> Result<bool, Error> {
        let has_next = self.decoder.has_next(self.close, self.taken == 0)?;
        if has_next {
            self.taken += 1;
            self.left = self.left.saturating_sub(1);
        }
        Ok(has_next)
    }

    /// Decodes the next value.
    fn value<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
        step: PathSegment,
    ) -> Result<T::Value, Error> {
        self.decoder.part(step, |decoder| seed.deserialize(decoder))
    }
}

impl<'de> SeqAccess<'de> for Collection<'_, 'de, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.has_next()? {
            return Ok(None);
        }
        let step = PathSegment::Element(self.taken - 1);
        self.value(seed, step).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Collection<'_, 'de, '_> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        if !self.has_next()? {
            return Ok(None);
        }
        self.key = self.decoder.at;
        seed.deserialize(Key::new(self.decoder)?).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        self.decoder.take(b':')?;
        self.value(seed, PathSegment::Member(self.key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl Decoder<'_, '_> {
    /// Decodes a part of a value.
    fn part<T>(
        &mut self,
        step: PathSegment,
        decode: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let start = self.position();
        let mut part = decode(self);
        if let Err(error) = &mut part {
            error.enter(step);
        } else if let Err(error) = self.settle(start) {
            part = Err(error);
        }
        part
    }

    /// Returns whether another element or member follows, and moves to it, past the comma.
    pub(super) fn has_next(&mut self, close: u8, is_first: bool) -> Result<bool, Error> {
        let token = self.token()?;
        if token == close {
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if token != b',' {
            return self.malformed();
        }
        self.at += 1;
        // A bracket after a comma is never valid. The callers check everything else.
        if self.token()? == close {
            return self.malformed();
        }
        Ok(true)
    }
}

// === impl UnitVariant ===

impl<'a, 'de, 'm> UnitVariant<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Self {
        Self { decoder }
    }

    /// Returns the error of a variant that must have content.
    fn mismatch<T>(self, expected: &dyn Expected) -> Result<T, Error> {
        let error = Error::invalid_type(Unexpected::UnitVariant, expected);
        self.decoder.note_rejection(Err(error))
    }
}

impl<'de> EnumAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant = seed.deserialize(&mut *self.decoder)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Error> {
        self.mismatch(&"a newtype variant")
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Error> {
        self.mismatch(&"a tuple variant")
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        self.mismatch(&"a struct variant")
    }
}

// === impl TaggedVariant ===

impl<'a, 'de, 'm> TaggedVariant<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Self {
        Self { decoder, key: 0 }
    }

    fn content<T>(
        self,
        decode: impl FnOnce(&mut Decoder<'de, 'm>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.decoder.part(PathSegment::Member(self.key), decode)
    }
}

impl<'de> EnumAccess<'de> for TaggedVariant<'_, 'de, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(mut self, seed: V) -> Result<(V::Value, Self), Error> {
        self.key = self.decoder.at;
        if self.decoder.token()? != b'"' {
            return self.decoder.malformed();
        }
        let variant = seed.deserialize(&mut *self.decoder)?;
        self.decoder.take(b':')?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for TaggedVariant<'_, 'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        self.content(|decoder| Deserialize::deserialize(decoder))
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        self.content(|decoder| seed.deserialize(decoder))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Error> {
        self.content(|decoder| decoder.deserialize_seq(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.content(|decoder| decoder.deserialize_struct("", fields, visitor))
    }
}
