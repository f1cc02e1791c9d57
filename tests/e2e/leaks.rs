//! A secret value goes through every failure that there is, and is shown by none: not by an error, a status,
//! a metric or the log, at any level.
//!
//! Errors that user code returns are shown as they are, so theirs hold no value here. What a panic says is
//! shown by the panic hook alone.

mod answers;
mod evidence;
mod objects;
mod sources;
mod workers;
