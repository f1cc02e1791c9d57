//! Decoding: a [`serde::Deserializer`] over protobuf, driven by the tables.
//!
//! `value` says what is at one place of an object, `fields`, `members` and `elements` walk through
//! messages, maps and lists, `json` through JSON texts inside objects, and `serde` hands all of it
//! to serde's visitors. Only the last is generic, so that a type costs little code.

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

/// Deepest level of messages, lists and maps; the same as `serde_json`'s.
const MAX_DEPTH: u8 = 128;

/// Decodes the object in an envelope, as an API server answers.
///
/// To serde the object looks like its JSON, `apiVersion` and `kind` included: any type that can be
/// decoded from Kubernetes' JSON can be decoded from this, dynamic ones too. Texts can be borrowed.
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
/// The bytes are no such envelope, or the object is not a `T`. Where
/// [`is_unusual`](Error::is_unusual), the same object can be read from JSON.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Error> {
    T::deserialize(Deserializer::from_slice(bytes)?)
}

/// Decodes an object of which only the message is there, as the items of a list.
///
/// # Errors
///
/// The bytes are no such message, or the object is not a `T`. Where
/// [`is_unusual`](Error::is_unusual), the same object can be read from JSON.
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

/// What an object says of its type.
#[derive(Debug, Clone, Copy)]
struct TypeMeta<'de> {
    api_version: &'de str,
    kind: &'de str,
}

/// What holds for a place in an object.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// Levels that may follow.
    levels_left: u8,
    skip_managed_fields: bool,
}

// === impl Deserializer ===

impl<'de> Deserializer<'de> {
    /// Of an object in an envelope.
    ///
    /// # Errors
    ///
    /// The bytes are no envelope, or hold no kind that has a message.
    pub fn from_slice(bytes: &'de [u8]) -> Result<Self, Error> {
        let envelope = Envelope::parse(bytes)?;
        let (message, type_meta) = TypeMeta::of(&envelope)?;
        Ok(Self {
            type_meta: Some(type_meta),
            ..Self::from_message(message, envelope.raw)
        })
    }

    /// Of a message alone.
    #[must_use]
    pub fn from_message(message: Message, bytes: &'de [u8]) -> Self {
        Self {
            message,
            bytes,
            type_meta: None,
            skip_managed_fields: false,
        }
    }

    /// Gives the object an `apiVersion` and a `kind`, which are not in its message. Default: none.
    #[must_use]
    pub fn type_meta(mut self, api_version: &'de str, kind: &'de str) -> Self {
        self.type_meta = Some(TypeMeta { api_version, kind });
        self
    }

    /// Leaves out `metadata.managedFields`, at no cost: of the object, and of items and templates inside
    /// of it. Default: `false`.
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
    /// The type of the object in an envelope, and its message.
    fn of(envelope: &Envelope<'de>) -> Result<(Message, Self), Error> {
        if envelope.is_encoded() {
            return Err(Error::new(crate::ErrorKind::Encoded));
        }
        let (api_version, kind) = (envelope.api_version, envelope.kind);
        let message =
            Message::of(api_version, kind).ok_or_else(|| Error::unknown_kind(api_version, kind))?;
        Ok((message, Self { api_version, kind }))
    }
}

// === impl Context ===

impl Context {
    /// The same, a level deeper.
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
