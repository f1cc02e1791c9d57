//! What is read of an object, or cut out of it, without decoding it.

use serde::Serialize;

use super::drop_fields::DropFields;
use super::field_path::FieldPath;
use super::json;
use super::protobuf::{self, Refusal, Shorter};
use super::raw::{PathError, RawEncoding, RawObject, Rejected, Related};

use bytes::Bytes;

// === impl RawObject ===

impl RawObject {
    /// The object that a JSON text holds. Nothing is cut out of it.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, or has no `metadata.name`.
    pub fn json(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        let header = json::read_header(&bytes).map_err(Rejected::without_key)?;
        Ok(Self::new(header, RawEncoding::Json, bytes))
    }

    /// The object in an envelope, as an API server answers in protobuf. Nothing is cut out of it.
    ///
    /// # Errors
    ///
    /// The bytes are no such envelope, its kind has no message that is known, or the object has no
    /// `metadata.name`.
    pub fn protobuf(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        protobuf::open(&bytes).map_err(|refusal| match refusal {
            Refusal::Rejected(rejected) => rejected,
            Refusal::Unusual(reason) => Rejected::without_key(reason),
        })
    }

    /// The object that `value` serializes to.
    ///
    /// # Errors
    ///
    /// `value` does not serialize, or has no `metadata.name`.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, Rejected> {
        let bytes = serde_json::to_vec(value)
            .map_err(|_| Rejected::without_key("it does not serialize"))?;
        Self::json(bytes)
    }

    /// The object without these fields. One pass over the bytes; a copy only if it has one of
    /// them. What is malformed is left to the decoder.
    #[must_use]
    pub fn without(&self, fields: &DropFields) -> Self {
        let shorter = match self.spelling() {
            RawEncoding::Json => {
                let ranges = json::cut::ranges(self.bytes(), fields.root()).unwrap_or_default();
                if ranges.is_empty() {
                    Shorter::Same
                } else {
                    Shorter::Json(json::cut::without(self.bytes(), &ranges).into())
                }
            }
            RawEncoding::Protobuf(kind) => protobuf::shorten(kind, self.bytes(), fields),
        };
        let (spelling, bytes) = match shorter {
            Shorter::Same => (self.spelling(), self.bytes().clone()),
            Shorter::Protobuf(bytes) => (self.spelling(), bytes),
            Shorter::Json(bytes) => (RawEncoding::Json, bytes),
        };
        self.shortened(spelling, bytes, fields)
    }

    /// The scalars at `path`, as text, in the order of the document; read from the bytes, without
    /// decoding the object. Arrays are gone through, and `null` is no value.
    ///
    /// # Errors
    ///
    /// The path leads to an object, or the bytes are malformed.
    pub fn values_at(&self, path: &FieldPath) -> Result<Vec<String>, PathError> {
        let names = path.segments();
        let values = match self.spelling() {
            RawEncoding::Json => json::values::at_path(self.bytes(), names),
            RawEncoding::Protobuf(kind) => protobuf::at_path(kind, self.bytes(), names),
        };
        values.map_err(|reason| PathError {
            path: path.clone(),
            reason,
        })
    }

    /// Returns labels and controller, as far as they can be read; from the bytes, without decoding the object.
    ///
    /// For a storage that keeps bytes, as [`Packed`](crate::Packed) does: it holds them beside the bytes, so
    /// that selectors and owners need no decoding.
    #[must_use]
    pub fn related(&self) -> Related<'_> {
        match self.spelling() {
            RawEncoding::Json => json::related::read(self.bytes()),
            RawEncoding::Protobuf(_) => protobuf::related(self.bytes()),
        }
    }
}
