//! [`Selector`] and [`FieldSelector`]: conditions that select objects.
//!
//! Label selectors are sent to the server and are also evaluated here on cached objects, with
//! exactly the semantics of the API server. Field selectors are only sent to the server. Both are
//! data: they compare, hash and print in one canonical form, so that equal selections share one
//! informer.

mod convert;
mod field;
mod label;
mod parse;
mod requirement;
mod validate;

pub use self::field::{FieldSelector, FieldSelectorError};
pub use self::label::Selector;
pub use self::parse::ParseSelectorError;
pub use self::requirement::{Operator, Requirement, RequirementError};

#[cfg(test)]
mod tests;
