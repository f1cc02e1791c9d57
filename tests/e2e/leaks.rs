//! A secret value passes through every failure, and never appears in an error, a status, a metric
//! or the log, at any level.
//!
//! The errors that user code returns are shown unchanged, so they contain no secret here. The
//! message of a panic appears in the panic hook only.

mod answers;
mod evidence;
mod objects;
mod sources;
mod workers;

pub(crate) use self::evidence::{Evidence, MARKER, path, secret, value};
