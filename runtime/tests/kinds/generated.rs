//! Generates random values of any type, by a deserializer that has no input.

use std::fmt;

use fastrand::Rng;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, IntoDeserializer, MapAccess, SeqAccess,
    Visitor,
};
use serde::forward_to_deserialize_any;

/// Depth up to which every optional field is present. Below it, half of them are, down to
/// `MAX_DEPTH`.
const FULL_DEPTH: usize = 3;
const MAX_DEPTH: usize = 14;
/// Maximum number of optional fields and elements, because some types are recursive.
const MAX_FIELDS: usize = 1_000;

/// Generates a value of type `T`.
///
/// `type_meta` is the apiVersion and kind, which types check.
pub(super) fn generate<'de, T: Deserialize<'de>>(
    seed: u64,
    type_meta: (&'static str, &'static str),
) -> Result<T, Error> {
    T::deserialize(Generator {
        rng: &mut Rng::with_seed(seed),
        fields: &mut 0,
        depth: 0,
        type_meta,
        is_time: false,
    })
}

struct Generator<'r> {
    rng: &'r mut Rng,
    /// Number of optional fields and elements so far.
    fields: &'r mut usize,
    depth: usize,
    type_meta: (&'static str, &'static str),
    is_time: bool,
}

impl Generator<'_> {
    fn deeper(&mut self) -> Generator<'_> {
        Generator {
            rng: &mut *self.rng,
            fields: &mut *self.fields,
            depth: self.depth + 1,
            type_meta: self.type_meta,
            is_time: false,
        }
    }

    /// Decides whether an optional value is present.
    fn is_present(&mut self) -> bool {
        let is_present = self.depth < FULL_DEPTH
            || (self.depth < MAX_DEPTH && *self.fields < MAX_FIELDS && self.rng.bool());
        *self.fields += usize::from(is_present);
        is_present
    }

    /// Returns letters and digits whose number is valid for base64, or a time.
    fn text(&mut self) -> String {
        if self.is_time {
            return format!(
                "20{}-0{}-1{}T0{}:{}:3{}Z",
                self.rng.u8(10..30),
                self.rng.u8(1..9),
                self.rng.u8(..9),
                self.rng.u8(..9),
                self.rng.u8(10..59),
                self.rng.u8(..9)
            );
        }
        let length = 4 * self.rng.usize(..8);
        (0..length).map(|_| self.rng.alphanumeric()).collect()
    }
}

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(self.rng.$number(..))
        }
    )*};
}

impl<'de> Deserializer<'de> for Generator<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let is_schema = self.rng.bool();
        let elements = usize::from(!is_schema);
        // A type with several forms is recognized by its name.
        match Expected(&visitor).to_string().as_str() {
            "JSONSchemaPropsOrBool" if !is_schema => visitor.visit_bool(self.rng.bool()),
            "JSONSchemaPropsOrArray" | "JSONSchemaPropsOrBool" | "JSONSchemaPropsOrStringArray" => {
                let parts = Parts {
                    generator: self.deeper(),
                    left: elements,
                    names: &[],
                    name: "",
                };
                if is_schema {
                    visitor.visit_map(parts)
                } else {
                    visitor.visit_seq(parts)
                }
            }
            _ => visitor.visit_string(self.text()),
        }
    }

    numbers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_f64(self.rng.f64() * 1e9)
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.rng.bool())
    }

    fn deserialize_option<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        if self.is_present() {
            visitor.visit_some(self)
        } else {
            visitor.visit_none()
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.is_time = matches!(name, "Time" | "MicroTime");
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let left = if self.is_present() {
            self.rng.usize(..4)
        } else {
            0
        };
        visitor.visit_seq(Parts {
            generator: self,
            left,
            names: &[],
            name: "",
        })
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let left = self.rng.usize(..3);
        visitor.visit_map(Parts {
            generator: self,
            left,
            names: &[],
            name: "",
        })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        // Objects inside others, such as claims in a stateful set, check their type too.
        let names = match names {
            ["apiVersion", "kind", names @ ..] if self.depth > 0 => names,
            names => names,
        };
        visitor.visit_map(Parts {
            generator: self,
            left: names.len(),
            names,
            name: "",
        })
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        _visitor: V,
    ) -> Result<V::Value, Error> {
        Err(Error::custom("no built-in type has enums"))
    }

    forward_to_deserialize_any! {
        i128 u128 f32 char str string bytes byte_buf unit unit_struct tuple tuple_struct identifier
        ignored_any
    }
}

/// Prints what a visitor expects.
struct Expected<'v, V>(&'v V);

impl<'de, V: Visitor<'de>> fmt::Display for Expected<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }
}

/// Generated elements or members.
struct Parts<'r> {
    generator: Generator<'r>,
    left: usize,
    /// Names of all members of a struct.
    names: &'static [&'static str],
    name: &'static str,
}

impl Parts<'_> {
    /// Counts one part off. Returns the number of parts left, or `None` after the last.
    fn count_off(&mut self) -> Option<usize> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left)
    }
}

impl<'de> SeqAccess<'de> for Parts<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        match self.count_off() {
            Some(_) => seed.deserialize(self.generator.deeper()).map(Some),
            None => Ok(None),
        }
    }
}

impl<'de> MapAccess<'de> for Parts<'_> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let Some(left) = self.count_off() else {
            return Ok(None);
        };
        match self.names.get(left) {
            Some(name) => {
                self.name = name;
                seed.deserialize((*name).into_deserializer()).map(Some)
            }
            None => seed.deserialize(self.generator.deeper()).map(Some),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        let (api_version, kind) = self.generator.type_meta;
        let known: StrDeserializer<'_, Error> = match (self.generator.depth, self.name) {
            (0, "apiVersion") => api_version.into_deserializer(),
            (0, "kind") => kind.into_deserializer(),
            _ => return seed.deserialize(self.generator.deeper()),
        };
        seed.deserialize(known)
    }
}
