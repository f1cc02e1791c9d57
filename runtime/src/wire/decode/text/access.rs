//! What visitors get to walk through arrays, objects and enums.

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess,
    Visitor,
};

use super::Refused;
use super::decoder::Decoder;
use super::key::Key;

/// The elements of an array, or the members of an object.
pub(super) struct Parts<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
    /// The bracket behind the last one.
    close: u8,
    is_first: bool,
    /// How many are to come, by the commas.
    left: usize,
}

/// A variant that is named by a string, and has nothing in it.
pub(super) struct UnitVariant<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

/// A variant that is named by the one key of an object.
pub(super) struct TaggedVariant<'a, 'de, 'm> {
    decoder: &'a mut Decoder<'de, 'm>,
}

// === impl Parts ===

impl<'a, 'de, 'm> Parts<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>, close: u8, left: usize) -> Self {
        Self {
            decoder,
            close,
            is_first: true,
            left,
        }
    }

    /// Whether another one comes, which is next then.
    fn comes_next(&mut self) -> Result<bool, Refused> {
        let comes = self.decoder.comes_next(self.close, self.is_first)?;
        if comes {
            self.is_first = false;
            self.left = self.left.saturating_sub(1);
        }
        Ok(comes)
    }
}

impl<'de> SeqAccess<'de> for Parts<'_, 'de, '_> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        if !self.comes_next()? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.decoder).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Parts<'_, 'de, '_> {
    type Error = Refused;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Refused> {
        if !self.comes_next()? {
            return Ok(None);
        }
        seed.deserialize(Key::new(self.decoder)?).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Refused> {
        self.decoder.take(b':')?;
        seed.deserialize(&mut *self.decoder)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl Decoder<'_, '_> {
    /// Whether another element or member comes, which is next then; takes the comma before it.
    pub(super) fn comes_next(&mut self, close: u8, is_first: bool) -> Result<bool, Refused> {
        let token = self.token()?;
        if token == close {
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        if token != b',' {
            return self.refuse();
        }
        self.at += 1;
        // Of an element there is always something that is no bracket; a key says so itself.
        if self.token()? == close {
            return self.refuse();
        }
        Ok(true)
    }
}

// === impl UnitVariant ===

impl<'a, 'de, 'm> UnitVariant<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Self {
        Self { decoder }
    }
}

impl<'de> EnumAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refused> {
        let variant = seed.deserialize(&mut *self.decoder)?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for UnitVariant<'_, 'de, '_> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, _seed: T) -> Result<T::Value, Refused> {
        self.decoder.refuse()
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Refused> {
        self.decoder.refuse()
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Refused> {
        self.decoder.refuse()
    }
}

// === impl TaggedVariant ===

impl<'a, 'de, 'm> TaggedVariant<'a, 'de, 'm> {
    pub(super) fn new(decoder: &'a mut Decoder<'de, 'm>) -> Self {
        Self { decoder }
    }
}

impl<'de> EnumAccess<'de> for TaggedVariant<'_, 'de, '_> {
    type Error = Refused;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Refused> {
        if self.decoder.token()? != b'"' {
            return self.decoder.refuse();
        }
        let variant = seed.deserialize(&mut *self.decoder)?;
        self.decoder.take(b':')?;
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for TaggedVariant<'_, 'de, '_> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        Deserialize::deserialize(self.decoder)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self.decoder)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value, Refused> {
        self.decoder.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.decoder.deserialize_struct("", fields, visitor)
    }
}
