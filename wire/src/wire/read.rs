//! Reads or cuts parts of an object without decoding it.

use serde::Serialize;

use super::drop_fields::DropFields;
use super::field_path::FieldPath;
use super::json;
use super::protobuf::{self, Refusal, Shorter};
use super::raw::{PathError, RawEncoding, RawObject, Rejected, Related};

use bytes::Bytes;

// === impl RawObject ===

impl RawObject {
    /// Creates an object from a JSON text. Cuts nothing.
    ///
    /// # Errors
    ///
    /// Fails if the text is not a JSON object, or has no `metadata.name`.
    pub fn json(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        let header = json::read_header(&bytes).map_err(Rejected::without_key)?;
        Ok(Self::new(header, RawEncoding::Json, bytes))
    }

    /// Creates an object from an envelope, as an API server returns it in protobuf. Cuts nothing.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not an envelope, if the message of its kind is unknown, or if the
    /// object has no `metadata.name`.
    pub fn protobuf(bytes: impl Into<Bytes>) -> Result<Self, Rejected> {
        let bytes = bytes.into();
        protobuf::open(&bytes).map_err(|refusal| match refusal {
            Refusal::Rejected(rejected) => rejected,
            Refusal::Unusual(reason) => Rejected::without_key(reason),
        })
    }

    /// Creates an object from a value that serializes.
    ///
    /// # Errors
    ///
    /// Fails if `value` does not serialize, or has no `metadata.name`.
    pub fn from_value<T: Serialize + ?Sized>(value: &T) -> Result<Self, Rejected> {
        let bytes = serde_json::to_vec(value)
            .map_err(|_| Rejected::without_key("the value does not serialize"))?;
        Self::json(bytes)
    }

    /// Returns the object without these fields, in one pass over the bytes. Copies only if the
    /// object has one of the fields. Leaves malformed objects to the decoder.
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

    /// Returns the scalars at `path` as text, in the order of the document. Reads them from the
    /// bytes, without decoding the object. Iterates over arrays; `null` is not a value.
    ///
    /// # Errors
    ///
    /// Fails if the path ends at an object, or if the bytes are malformed.
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

    /// Returns the labels and the controller as far as they are readable, from the bytes, without
    /// decoding the object.
    ///
    /// A storage that keeps bytes, such as `Packed`, holds them beside the bytes,
    /// so that selectors and owner look-ups need no decoding.
    #[must_use]
    pub fn related(&self) -> Related<'_> {
        match self.spelling() {
            RawEncoding::Json => json::related::read(self.bytes()),
            RawEncoding::Protobuf(_) => protobuf::related(self.bytes()),
        }
    }
}
