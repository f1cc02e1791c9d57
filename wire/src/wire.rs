//! Turns bytes into raw objects: splits bodies as they arrive, and reads headers without decoding.
//!
//! This module is pure: frames in, objects out. `source` does the input and output.

mod actions;
mod compiled;
mod decode;
mod drop_fields;
mod encoding;
mod field_path;
mod json;
mod kind;
mod protobuf;
mod raw;
mod raw_event;
mod read;
mod refusals;
mod split;
mod splitters;
mod status;
mod text;
mod word;

#[doc(no_inline)]
pub use kube::core::TypeMeta;

pub use self::decode::DecodeError;
pub use self::drop_fields::{DropFields, DropFieldsError};
pub use self::encoding::Encoding;
pub use self::field_path::{FieldPath, FieldPathError};
#[doc(hidden)]
pub use self::kind::Kind;
#[doc(hidden)]
pub use self::raw::RawEncoding;
pub use self::raw::{Header, ListMeta, PathError, RawObject, Rejected, Related};
pub use self::raw_event::RawEvent;
pub use self::split::{
    EventSplitter, ListSplitter, SplitError, SplitOptions, SplitStats, Splitter,
};
#[doc(hidden)]
pub use self::text::printable;

pub use self::status::{ApiStatus, StatusCause};
