//! Who may do what: bearer tokens and RBAC.
//!
//! Off until a token is configured; then every request is somebody's, and roles and bindings,
//! which are objects like any other, decide. There is no escalation check and no aggregation of
//! roles.
//!
//! ```text
//! headers -> identity (whose request) -> impersonation (or somebody else's)
//!                                           |
//! path    -> wish (what is wanted)  ->    rbac (roles and bindings of the state)
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
