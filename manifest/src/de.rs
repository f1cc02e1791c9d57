//! Converts a node to a type, with the position of a value that does not fit.

use std::collections::btree_map;
use std::vec;

use serde::de::value::StringDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::error::ParseError;
use crate::node::{Node, Value};

impl<'de> Deserializer<'de> for Node {
    type Error = ParseError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        let value = match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Integer(value) => visitor.visit_i64(value),
            Value::Unsigned(value) => visitor.visit_u64(value),
            Value::Float(value) => visitor.visit_f64(value),
            Value::String(text) => visitor.visit_string(text),
            Value::Sequence(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Mapping(members) => visitor.visit_map(Members {
                rest: members.into_iter(),
                value: None,
            }),
        };
        value.map_err(|error: ParseError| error.or_at(self.at))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        if self.value == Value::Null {
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        let at = self.at;
        let variant = match self.value {
            Value::String(name) => Some((name, None)),
            Value::Mapping(mut members) if members.len() == 1 => {
                let only = members.pop_first();
                only.map(|(name, content)| (name, Some(content)))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::Unsigned(_)
            | Value::Float(_)
            | Value::Sequence(_)
            | Value::Mapping(_) => None,
        };
        let entered = match variant {
            Some((name, content)) => visitor.visit_enum(TaggedContent { name, content }),
            None => Err(ParseError::custom(
                "expected the name of a variant, or a mapping with one",
            )),
        };
        entered.map_err(|error| error.or_at(at))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ParseError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

struct Items(vec::IntoIter<Node>);

impl<'de> SeqAccess<'de> for Items {
    type Error = ParseError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, ParseError> {
        let next = self.0.next();
        next.map(|node| seed.deserialize(node)).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members {
    rest: btree_map::IntoIter<String, Node>,
    value: Option<Node>,
}

impl<'de> MapAccess<'de> for Members {
    type Error = ParseError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, ParseError> {
        let Some((key, value)) = self.rest.next() else {
            return Ok(None);
        };
        let at = value.at;
        self.value = Some(value);
        let key: StringDeserializer<ParseError> = key.into_deserializer();
        let key = seed.deserialize(key);
        key.map(Some).map_err(|error| error.or_at(at))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, ParseError> {
        match self.value.take() {
            Some(value) => seed.deserialize(value),
            None => Err(ParseError::custom("a value precedes its key")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct TaggedContent {
    name: String,
    content: Option<Node>,
}

impl<'de> EnumAccess<'de> for TaggedContent {
    type Error = ParseError;
    type Variant = Content;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Content), ParseError> {
        let name: StringDeserializer<ParseError> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.content)))
    }
}

/// Content of a variant. `None` for a variant that only a name stands for.
struct Content(Option<Node>);

impl Content {
    fn get(self) -> Result<Node, ParseError> {
        let missing =
            || ParseError::invalid_type(Unexpected::UnitVariant, &"a variant with content");
        self.0.ok_or_else(missing)
    }
}

impl<'de> VariantAccess<'de> for Content {
    type Error = ParseError;

    fn unit_variant(self) -> Result<(), ParseError> {
        match self.0.filter(|content| content.value != Value::Null) {
            None => Ok(()),
            Some(content) => Err(ParseError::new(content.at, "the variant has no content")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(
        self,
        seed: T,
    ) -> Result<T::Value, ParseError> {
        seed.deserialize(self.get()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, ParseError> {
        self.get()?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ParseError> {
        self.get()?.deserialize_any(visitor)
    }
}
