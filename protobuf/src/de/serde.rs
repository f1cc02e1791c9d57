//! Adapter from values to serde's visitors.
//!
//! Each typed entry point accepts only its own forms, so that a visitor is compiled for these and
//! not for every form that a value could have; `deserialize_any` is the exception.

use std::borrow::Cow;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer as SerdeDeserializer, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use super::Deserializer;
use super::elements::Elements;
use super::json;
use super::members::Members;
use super::value::{Form, Number, Value};
use crate::error::{Error, Segment};

// === impl Value ===

/// Returns the error of a value with an unexpected form.
#[cold]
#[inline(never)]
fn mismatch(value: &Value<'_>, expected: &dyn Expected) -> Error {
    let found = match value.form() {
        Ok(form) => form,
        Err(error) => return error,
    };
    let unexpected = match &found {
        Form::Null => Unexpected::Other("null"),
        Form::Bool(value) => Unexpected::Bool(*value),
        Form::Number(Number::Int(value)) => Unexpected::Signed(*value),
        Form::Number(Number::UInt(value)) => Unexpected::Unsigned(*value),
        Form::Number(Number::Float(value)) => Unexpected::Float(*value),
        Form::Str(value) => Unexpected::Str(value),
        Form::String(value) => Unexpected::Str(value),
        Form::Time(value) => Unexpected::Str(value.as_str()),
        Form::Map(_) => Unexpected::Map,
        Form::Seq(_) => Unexpected::Seq,
    };
    Error::invalid_type(unexpected, expected)
}

/// Visits an integer without a fraction, as Go prints it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "the bounds are checked, and only numbers without a fraction are converted"
)]
fn visit_float<'de, V>(number: f64, visitor: V) -> Result<V::Value, Error>
where
    V: Visitor<'de>,
{
    const BOUND: f64 = 18_446_744_073_709_551_616.0;
    let is_whole = number.trunc() == number && !(number == 0.0 && number.is_sign_negative());
    if is_whole && (0.0..BOUND).contains(&number) {
        visitor.visit_u64(number as u64)
    } else if is_whole && (-BOUND / 2.0..0.0).contains(&number) {
        visitor.visit_i64(number as i64)
    } else {
        visitor.visit_f64(number)
    }
}

fn visit_number<'de, V>(number: Number, visitor: V) -> Result<V::Value, Error>
where
    V: Visitor<'de>,
{
    match number {
        Number::Int(number) => visitor.visit_i64(number),
        Number::UInt(number) => visitor.visit_u64(number),
        Number::Float(number) => visit_float(number, visitor),
    }
}

macro_rules! typed {
    ($($method:ident => $what:ident,)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.$what(visitor)
        })*
    };
}

// The first arms are fast paths: most values of an object are strings and messages, and a `Form` is
// large.
impl<'de> Value<'de> {
    fn number_to<V>(&self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        match self.as_number()? {
            Some(number) => visit_number(number, visitor),
            None => Err(mismatch(self, &visitor)),
        }
    }

    fn text_to<V>(&self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        if let Some(text) = self.as_text() {
            return visitor.visit_borrowed_str(text);
        }
        match self.form()? {
            Form::Str(text) => visitor.visit_borrowed_str(text),
            Form::String(text) => visitor.visit_string(text),
            Form::Time(text) => visitor.visit_str(text.as_str()),
            _ => Err(mismatch(self, &visitor)),
        }
    }

    fn list_to<V>(&self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        match self.as_list()? {
            Some(mut elements) => visitor.visit_seq(&mut elements),
            None => Err(mismatch(self, &visitor)),
        }
    }

    fn map_to<V>(&self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        let mut members = Members::new(self.context);
        if !members.open(self)? {
            return Err(mismatch(self, &visitor));
        }
        visitor.visit_map(&mut members)
    }
}

impl<'de> SerdeDeserializer<'de> for &Value<'de> {
    type Error = Error;

    fn deserialize_any<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        if let Some(text) = self.as_text() {
            return visitor.visit_borrowed_str(text);
        }
        if let Some(text) = self.as_json()? {
            return json::any(text, visitor);
        }
        match self.form()? {
            Form::Null => visitor.visit_unit(),
            Form::Bool(value) => visitor.visit_bool(value),
            Form::Number(number) => visit_number(number, visitor),
            Form::Str(text) => visitor.visit_borrowed_str(text),
            Form::String(text) => visitor.visit_string(text),
            Form::Time(text) => visitor.visit_str(text.as_str()),
            Form::Map(mut members) => visitor.visit_map(&mut members),
            Form::Seq(mut elements) => visitor.visit_seq(&mut elements),
        }
    }

    fn deserialize_bool<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        match self.as_bool()? {
            Some(value) => visitor.visit_bool(value),
            None => Err(mismatch(self, &visitor)),
        }
    }

    typed! {
        deserialize_i8 => number_to,
        deserialize_i16 => number_to,
        deserialize_i32 => number_to,
        deserialize_i64 => number_to,
        deserialize_u8 => number_to,
        deserialize_u16 => number_to,
        deserialize_u32 => number_to,
        deserialize_u64 => number_to,
        deserialize_f32 => number_to,
        deserialize_f64 => number_to,
        deserialize_char => text_to,
        deserialize_str => text_to,
        deserialize_string => text_to,
        deserialize_bytes => text_to,
        deserialize_byte_buf => text_to,
        deserialize_identifier => text_to,
        deserialize_seq => list_to,
        deserialize_map => map_to,
    }

    fn deserialize_option<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        if self.is_null()? {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_unit<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        match self.form()? {
            Form::Null => visitor.visit_unit(),
            _ => Err(mismatch(self, &visitor)),
        }
    }

    fn deserialize_unit_struct<V>(self, _name: &'static str, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_tuple<V>(self, _length: usize, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        self.list_to(visitor)
    }

    fn deserialize_tuple_struct<V>(
        self,
        _name: &'static str,
        _length: usize,
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        self.list_to(visitor)
    }

    fn deserialize_struct<V>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        self.map_to(visitor)
    }

    fn deserialize_enum<V>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        match self.form()? {
            Form::Str(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Form::String(text) => visitor.visit_enum(text.into_deserializer()),
            Form::Map(mut members) => visitor.visit_enum(MapAccessDeserializer::new(&mut members)),
            _ => Err(mismatch(self, &visitor)),
        }
    }

    fn deserialize_ignored_any<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        // The end of the value is known without reading it.
        visitor.visit_unit()
    }
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<T>(&mut self, seed: T) -> Result<Option<T::Value>, Error>
    where
        T: DeserializeSeed<'de>,
    {
        let index = self.index;
        let Some(value) = self.next()? else {
            return Ok(None);
        };
        match seed.deserialize(value) {
            Ok(element) => Ok(Some(element)),
            Err(error) => Err(error.inside(Segment::Index(index))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<K>(&mut self, seed: K) -> Result<Option<K::Value>, Error>
    where
        K: DeserializeSeed<'de>,
    {
        self.advance()?;
        let Some(name) = self.name() else {
            return Ok(None);
        };
        let key = match name {
            Cow::Borrowed(name) => seed.deserialize(BorrowedStrDeserializer::new(name)),
            Cow::Owned(name) => seed.deserialize(name.into_deserializer()),
        };
        key.map(Some)
    }

    fn next_value_seed<V>(&mut self, seed: V) -> Result<V::Value, Error>
    where
        V: DeserializeSeed<'de>,
    {
        // A result is matched once: each further step may copy a value of a large type.
        match seed.deserialize(self.value()) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.located(error)),
        }
    }
}

// === impl Deserializer ===

// The value is always an object.
impl<'de> SerdeDeserializer<'de> for Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_map(&mut self.members()?)
    }

    fn deserialize_option<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_enum(MapAccessDeserializer::new(&mut self.members()?))
    }

    fn deserialize_ignored_any<V>(self, visitor: V) -> Result<V::Value, Error>
    where
        V: Visitor<'de>,
    {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}
