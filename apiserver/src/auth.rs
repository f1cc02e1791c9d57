//! Authentication and authorization: bearer tokens, client certificates and RBAC.
//!
//! Disabled until a user is configured. Then every request has a user, and roles and bindings,
//! which are ordinary objects, decide. There is no escalation check and no aggregation of roles.
//!
//! ```text
//! headers -> identity (the user) -> impersonation (or another user)
//!                                            |
//! path    -> wish (requested access) ->    rbac (roles and bindings of the state)
//! ```

mod defaults;
mod identity;
mod impersonation;
mod names;
mod rbac;
pub(crate) mod reviews;
pub(crate) mod token;
mod wish;

pub(crate) use defaults::first_objects;
pub(crate) use identity::{Access, User};
pub(crate) use impersonation::impersonated;
pub(crate) use rbac::allows;
pub(crate) use wish::Wish;
