//! From bytes to raw objects: bodies are split as they arrive, headers are read without decoding.
//!
//! Pure: frames in, objects out. `source` does the input and output.

mod decode;
mod drop_fields;
mod encoding;
mod field_path;
mod json;
mod protobuf;
mod raw;
mod refusals;
mod split;
mod status;
mod text;
mod word;

/// What `crate::fuzzing` runs of the readers inside.
#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing {
    pub(crate) use super::decode::fuzzing::Odd;
    pub use super::decode::fuzzing::json_decode;
    pub use super::json::fuzzing::json_scan;
}

#[doc(no_inline)]
pub use kube::core::TypeMeta;

pub use self::decode::DecodeError;
pub use self::drop_fields::{DropFields, DropFieldsError};
pub use self::encoding::Encoding;
pub use self::field_path::{FieldPath, FieldPathError};
pub(crate) use self::protobuf::Kind;
pub use self::raw::{Header, ListMeta, PathError, RawEvent, RawObject, Rejected};
pub(crate) use self::raw::{RawEncoding, Related};
pub use self::split::{EventSplitter, ListSplitter, SplitError, SplitOptions, SplitStats};
pub(crate) use self::text::printable;

pub use self::status::{ApiStatus, StatusCause};
