//! Errors in the words of the real API server: `Status` bodies with code, reason, message and
//! details.

mod cause;
mod error;
mod invalid;
mod named;

pub(crate) use self::cause::FieldCause;
pub use self::error::ApiError;
pub(crate) use self::named::NamedResource;
