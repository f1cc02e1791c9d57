//! Authentication and authorization: bearer tokens and RBAC.
//!
//! Disabled until a user is configured. Then every request has a user, and roles and bindings,
//! which are ordinary objects, decide. There is no escalation check and no aggregation of roles.
//!
//! ```text
//! headers -> identity (the user) ----------+
//! path    -> attributes (the access) -> rbac (roles and bindings of the state)
//! ```

mod attributes;
mod defaults;
mod identity;
mod names;
mod rbac;
pub(crate) mod reviews;

pub(crate) use attributes::Attributes;
pub(crate) use defaults::first_objects;
pub(crate) use identity::{Access, User};
pub(crate) use rbac::allows;
