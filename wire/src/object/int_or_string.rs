//! Integers of 64 bits or strings.

use std::fmt;
use std::num::TryFromIntError;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString as IntOrString32;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Integer or string: a value with `x-kubernetes-int-or-string`, such as a port or a quantity.
///
/// Holds every integer that the API server accepts there. The `IntOrString` of k8s-openapi has 32
/// bits, so `memory: 8589934592` without quotes makes an object undecodable. The types that
/// `informer-gen` generates have this type.
///
/// ```
/// use informer_wire::object::IntOrString;
///
/// let memory: IntOrString = serde_json::from_str("8589934592")?;
/// assert_eq!(memory, IntOrString::Int(8_589_934_592));
/// assert_eq!(memory.to_quantity().0, "8589934592");
/// assert_eq!(IntOrString::from("8Gi").to_quantity().0, "8Gi");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrString {
    /// Integer.
    Int(i64),
    /// String, such as `8Gi`, `25%` or the name of a port.
    String(String),
}

// === impl IntOrString ===

impl IntOrString {
    /// Returns the value as a quantity: the string, or the integer in digits.
    #[must_use]
    pub fn to_quantity(&self) -> Quantity {
        Quantity(self.to_string())
    }
}

impl Default for IntOrString {
    /// Returns the integer 0, as in Go and in k8s-openapi.
    fn default() -> Self {
        Self::Int(0)
    }
}

impl fmt::Display for IntOrString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(integer) => integer.fmt(f),
            Self::String(text) => f.pad(text),
        }
    }
}

impl From<i64> for IntOrString {
    fn from(integer: i64) -> Self {
        Self::Int(integer)
    }
}

impl From<i32> for IntOrString {
    fn from(integer: i32) -> Self {
        Self::Int(integer.into())
    }
}

impl From<String> for IntOrString {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<IntOrString32> for IntOrString {
    fn from(value: IntOrString32) -> Self {
        match value {
            IntOrString32::Int(integer) => integer.into(),
            IntOrString32::String(text) => text.into(),
        }
    }
}

/// Fails for an integer that does not fit 32 bits.
impl TryFrom<IntOrString> for IntOrString32 {
    type Error = TryFromIntError;

    fn try_from(value: IntOrString) -> Result<Self, TryFromIntError> {
        match value {
            IntOrString::Int(integer) => integer.try_into().map(Self::Int),
            IntOrString::String(text) => Ok(Self::String(text)),
        }
    }
}

impl Serialize for IntOrString {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(integer) => serializer.serialize_i64(*integer),
            Self::String(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for IntOrString {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IntOrStringVisitor)
    }
}

struct IntOrStringVisitor;

impl Visitor<'_> for IntOrStringVisitor {
    type Value = IntOrString;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an integer of 64 bits or a string")
    }

    fn visit_i64<E>(self, integer: i64) -> Result<IntOrString, E> {
        Ok(integer.into())
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<IntOrString, E> {
        let signed = i64::try_from(integer).ok();
        let too_large = || E::invalid_value(de::Unexpected::Unsigned(integer), &self);
        signed.map(IntOrString::Int).ok_or_else(too_large)
    }

    fn visit_str<E>(self, text: &str) -> Result<IntOrString, E> {
        Ok(text.into())
    }

    fn visit_string<E>(self, text: String) -> Result<IntOrString, E> {
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests;
