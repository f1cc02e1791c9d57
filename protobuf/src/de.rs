//! Decoding: a [`serde::Deserializer`] over protobuf, driven by the tables.
//!
//! `value` interprets the value at one position of an object. `fields`, `members` and `elements`
//! iterate over messages, maps and lists, `json` over JSON texts inside objects. `serde` passes all
//! of it to serde's visitors. Only `serde` is generic, so each type adds little code.

mod elements;
mod fields;
mod json;
mod members;
mod serde;
mod value;

use ::serde::Deserialize;

use self::members::Members;
use crate::error::Error;
use crate::frame::Envelope;
use crate::tables::Message;

/// Maximum nesting of messages, lists and maps; the same as `serde_json`'s.
const MAX_DEPTH: u8 = 128;

/// Decodes the object in an envelope, the form in which an API server sends it.
///
/// For serde, the object looks like its JSON, including `apiVersion` and `kind`: any type that can
/// be decoded from Kubernetes' JSON can be decoded from protobuf, including dynamic types. Strings
/// can be borrowed.
///
/// # Examples
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let bytes = informer_protobuf::to_vec(&serde_json::json!({
///     "apiVersion": "v1", "kind": "ConfigMap",
///     "metadata": {"namespace": "a", "name": "b"}, "data": {"k": "v"},
/// }))?;
/// let config: ConfigMap = informer_protobuf::from_slice(&bytes)?;
/// assert_eq!(config.data.unwrap_or_default()["k"], "v");
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
///
/// # Errors
///
/// The bytes are not an envelope, or the object is not a `T`. If [`is_unusual`](Error::is_unusual),
/// the same object may be readable as JSON.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    T::deserialize(Deserializer::from_slice(bytes)?)
}

/// Decodes an object from its message without an envelope, such as an item of a list.
///
/// # Errors
///
/// The bytes are not such a message, or the object is not a `T`. If
/// [`is_unusual`](Error::is_unusual), the same object may be readable as JSON.
pub fn from_message<'de, T: Deserialize<'de>>(
    message: Message,
    bytes: &'de [u8],
) -> Result<T, Error> {
    T::deserialize(Deserializer::from_message(message, bytes))
}

/// A [`serde::Deserializer`](::serde::Deserializer) with options.
///
/// # Examples
///
/// ```
/// use informer_protobuf::{Deserializer, Message};
/// use serde::Deserialize;
///
/// let message = Message::of("v1", "Namespace").unwrap();
/// let deserializer = Deserializer::from_message(message, b"\x0a\x03\x0a\x01a")
///     .type_meta("v1", "Namespace")
///     .skip_managed_fields(true);
/// let value = serde_json::Value::deserialize(deserializer)?;
/// assert_eq!(value["kind"], "Namespace");
/// assert_eq!(value["metadata"]["name"], "a");
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Deserializer<'de> {
    message: Message,
    bytes: &'de [u8],
    type_meta: Option<TypeMeta<'de>>,
    skip_managed_fields: bool,
}

/// Type of an object.
#[derive(Debug, Clone, Copy)]
struct TypeMeta<'de> {
    api_version: &'de str,
    kind: &'de str,
}

/// Settings that apply to a position in an object.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// Number of levels that may follow.
    levels_left: u8,
    skip_managed_fields: bool,
}

// === impl Deserializer ===

impl<'de> Deserializer<'de> {
    /// Creates a deserializer for an object in an envelope.
    ///
    /// # Errors
    ///
    /// The bytes are not an envelope, or contain a kind without a message.
    pub fn from_slice(bytes: &'de [u8]) -> Result<Self, Error> {
        let envelope = Envelope::parse(bytes)?;
        let (message, type_meta) = TypeMeta::of(&envelope)?;
        Ok(Self {
            type_meta: Some(type_meta),
            ..Self::from_message(message, envelope.raw)
        })
    }

    /// Creates a deserializer for a message without an envelope.
    #[must_use]
    pub fn from_message(message: Message, bytes: &'de [u8]) -> Self {
        Self {
            message,
            bytes,
            type_meta: None,
            skip_managed_fields: false,
        }
    }

    /// Sets `apiVersion` and `kind` of the object, which its message does not contain. Default:
    /// none.
    #[must_use]
    pub fn type_meta(mut self, api_version: &'de str, kind: &'de str) -> Self {
        self.type_meta = Some(TypeMeta { api_version, kind });
        self
    }

    /// Skips `metadata.managedFields` of the object, and of items and templates inside it, without
    /// decoding them. Default: `false`.
    #[must_use]
    pub fn skip_managed_fields(mut self, skip: bool) -> Self {
        self.skip_managed_fields = skip;
        self
    }

    fn members(self) -> Result<Members<'de>, Error> {
        let context = Context {
            levels_left: MAX_DEPTH,
            skip_managed_fields: self.skip_managed_fields,
        };
        Members::of_object(self.message, self.bytes, self.type_meta, context)
    }
}

// === impl TypeMeta ===

impl<'de> TypeMeta<'de> {
    /// Returns the type of the object in an envelope, and its message.
    fn of(envelope: &Envelope<'de>) -> Result<(Message, Self), Error> {
        if envelope.is_encoded() {
            return Err(Error::new(crate::ErrorKind::Encoded));
        }
        let api_version = envelope.api_version;
        let kind = envelope.kind;
        let message =
            Message::of(api_version, kind).ok_or_else(|| Error::unknown_kind(api_version, kind))?;
        Ok((message, Self { api_version, kind }))
    }
}

// === impl Context ===

impl Context {
    /// Returns the context one level deeper.
    fn deeper(self) -> Result<Self, Error> {
        let levels_left = self
            .levels_left
            .checked_sub(1)
            .ok_or_else(|| Error::new(crate::ErrorKind::TooDeep))?;
        Ok(Self {
            levels_left,
            ..self
        })
    }
}

#[cfg(test)]
mod tests;
