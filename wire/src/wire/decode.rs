//! Decodes a raw object into a typed one.

mod redact;
mod text;

use serde::de::DeserializeOwned;

use super::drop_fields::DropFields;
use super::raw::{Header, RawEncoding, RawObject};
use crate::object::{ObjectKey, ResourceVersion};

/// Error of an object that does not decode into its type.
///
/// It contains nothing of the object, which may be a Secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key} at resourceVersion \"{resource_version}\" does not decode: {path}: {message}")]
pub struct DecodeError {
    /// The object's key.
    pub key: ObjectKey,
    /// Version that does not decode.
    pub resource_version: ResourceVersion,
    /// Path in the document, such as `spec.containers[0].ports`; `.` for the document itself.
    pub path: String,
    /// Description of the error, without the value that was found.
    pub message: String,
    /// `true` if the protobuf message has an unsupported form. The object may decode if it is
    /// requested in JSON.
    pub needs_json: bool,
}

// === impl DecodeError ===

impl DecodeError {
    fn new(header: &Header, path: String, message: String) -> Self {
        Self {
            key: header.key.clone(),
            resource_version: header.resource_version.clone(),
            path,
            message,
            needs_json: false,
        }
    }
}

// === impl RawObject ===

impl RawObject {
    /// Rejects an object whose bytes were not kept.
    ///
    /// # Errors
    ///
    /// Fails if the object is larger than [`SplitOptions::max_object_bytes`](super::SplitOptions).
    #[doc(hidden)]
    pub fn check_size(&self) -> Result<(), DecodeError> {
        match self.oversize_limit() {
            None => Ok(()),
            Some(limit) => Err(DecodeError::new(
                self.header(),
                ".".to_owned(),
                format!("the object is larger than {limit} bytes"),
            )),
        }
    }

    /// Decodes the object.
    ///
    /// # Errors
    ///
    /// Fails if the object is not a valid `K`.
    pub fn decode<K: DeserializeOwned>(&self) -> Result<K, DecodeError> {
        self.check_size()?;
        match self.spelling() {
            RawEncoding::Json => {
                text::from_slice(self.bytes()).map_err(|error| self.json_error(&error))
            }
            RawEncoding::Protobuf(kind) => K::deserialize(kind.deserializer(self.bytes()))
                .map_err(|error| self.protobuf_error(&error)),
        }
    }

    /// Decodes into a type that has few of the object's fields. Returns what
    /// [`decode`](Self::decode) returns, in less time for such a type: `decode` first finds out how
    /// much memory the whole object needs.
    ///
    /// # Errors
    ///
    /// Fails if the object is not a valid `T`.
    pub fn decode_few<T: DeserializeOwned>(&self) -> Result<T, DecodeError> {
        if matches!(self.spelling(), RawEncoding::Json)
            && let Ok(few) = serde_json::from_slice(self.bytes())
        {
            return Ok(few);
        }
        // Also for the path in the error.
        self.decode()
    }

    #[cold]
    fn json_error(&self, error: &text::Error) -> DecodeError {
        let message = error.message().map(redact::message);
        self.error(
            redact::path(&error.path(self.bytes())),
            message.unwrap_or_else(|| redact::syntax(self.bytes())),
        )
    }

    /// Reports in the error whether JSON may succeed.
    #[cold]
    fn protobuf_error(&self, error: &informer_protobuf::Error) -> DecodeError {
        let path = redact::path(&error.path());
        DecodeError {
            needs_json: error.is_unusual(),
            ..self.error(path, redact::protobuf_message(error.kind()))
        }
    }

    /// Returns the error, with an explanation if the missing field was dropped.
    fn error(&self, path: String, mut message: String) -> DecodeError {
        let dropped = self.dropped();
        if let Some(at) = dropped.and_then(|dropped| dropped_field(dropped, &path, &message)) {
            message = format!("{message}: `{at}` was dropped by `drop_fields`");
        }
        DecodeError::new(self.header(), path, message)
    }
}

/// Returns the field that is missing because it was dropped, if this is the error's reason.
fn dropped_field(dropped: &DropFields, path: &str, message: &str) -> Option<String> {
    let field = message.strip_prefix("missing field `");
    let (field, _) = field?.split_once('`')?;
    let at = match path {
        "." => field.to_owned(),
        path => format!("{}.{field}", without_positions(path)),
    };
    dropped.root().drops(at.split('.')).then_some(at)
}

/// Removes the indices from a path: `spec.containers[0]` becomes `spec.containers`.
fn without_positions(path: &str) -> String {
    let mut parts = path.split('[');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once(']').map_or(part, |(_, rest)| rest)
    })
}

#[cfg(test)]
mod tests;
