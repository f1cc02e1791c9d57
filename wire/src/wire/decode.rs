//! Decodes a raw object into a typed one.

mod redact;
mod text;

use serde::de::DeserializeOwned;

use super::drop_fields::DropFields;
use super::kind::Kind;
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
        let mut decoded = match self.spelling() {
            RawEncoding::Json => json(self.header(), self.bytes()),
            RawEncoding::Protobuf(kind) => protobuf(self.header(), kind, self.bytes()),
        };
        if let (Err(error), Some(dropped)) = (&mut decoded, self.dropped()) {
            explain(dropped, error);
        }
        decoded
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
}

/// Decodes an object in JSON.
fn json<K: DeserializeOwned>(header: &Header, bytes: &[u8]) -> Result<K, DecodeError> {
    text::from_slice(bytes).map_err(|error| {
        let path = redact::path(&error.path(bytes));
        let message = error.message().map(redact::message);
        DecodeError::new(
            header,
            path,
            message.unwrap_or_else(|| redact::syntax(bytes)),
        )
    })
}

/// Decodes an object in protobuf. The error reports whether JSON may succeed.
fn protobuf<K: DeserializeOwned>(
    header: &Header,
    kind: &'static Kind,
    bytes: &[u8],
) -> Result<K, DecodeError> {
    K::deserialize(kind.deserializer(bytes)).map_err(|error| DecodeError {
        needs_json: error.is_unusual(),
        ..DecodeError::new(
            header,
            redact::path(&error.path()),
            redact::protobuf_message(error.kind()),
        )
    })
}

/// Adds an explanation if the missing field was dropped.
fn explain(dropped: &DropFields, error: &mut DecodeError) {
    let field = error.message.strip_prefix("missing field `");
    let Some((field, _)) = field.and_then(|field| field.split_once('`')) else {
        return;
    };
    let at: String = match error.path.as_str() {
        "." => field.to_owned(),
        path => format!("{}.{field}", without_positions(path)),
    };
    if dropped.root().drops(at.split('.')) {
        error.message += &format!(": `{at}` was dropped by `drop_fields`");
    }
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
