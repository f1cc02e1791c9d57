//! Containment of panics in user code: a panic ends the call, not the task.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use futures::FutureExt as _;

/// Tells the reader where the message of a panic appears.
///
/// Errors and log lines never repeat the message: it may quote an object, which may be a Secret.
pub const HINT: &str =
    "the panic's message is on stderr, or where the program's panic hook puts it";

/// Error of a call of user code that panicked. It does not contain the panic's message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it panicked; {HINT}")]
pub struct Panicked;

/// Calls user code and catches its panic. Unwinding is safe: the only state that may be left
/// inconsistent belongs to that user code.
///
/// # Errors
///
/// Fails if the call panicked.
pub fn catch<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| Panicked)
}

/// Awaits user code and catches its panic, as [`catch`] does.
///
/// # Cancel safety
///
/// The same as that of `future`.
///
/// # Errors
///
/// Fails if the future panicked.
pub async fn catch_async<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let outcome = AssertUnwindSafe(future).catch_unwind().await;
    outcome.map_err(|_| Panicked)
}

/// Panics again after work that had to be done in spite of a panic. The panic hook is not called
/// again.
pub fn resume(outcome: Result<(), Panicked>) {
    if let Err(panicked) = outcome {
        resume_unwind(Box::new(panicked));
    }
}

#[cfg(test)]
mod tests;
