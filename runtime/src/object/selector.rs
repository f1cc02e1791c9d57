//! [`Selector`] and [`FieldSelector`]: which objects somebody wants.
//!
//! A label selector is judged here too, on what the cache holds, and exactly as the API server
//! judges it; a field selector is only ever sent to the server. Both are data: they compare, hash
//! and print in one canonical form, so that equal selections are one informer.

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
