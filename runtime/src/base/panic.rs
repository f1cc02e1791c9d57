//! Panics of user code, which end at the call.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures::FutureExt as _;

/// Where to read what a panic said.
///
/// No error and no log line repeats it: the message may quote an object, which may be a Secret.
pub(crate) const HINT: &str =
    "the panic's message is on stderr, or where the program's panic hook puts it";

/// Says that user code panicked, and nothing of what the panic said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it panicked; {HINT}")]
pub(crate) struct Panicked;

/// Calls user code. What it leaves half done is its own, so unwinding from it is safe.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|_| Panicked)
}

/// Awaits user code, as [`catch`] calls it.
///
/// # Cancel safety
///
/// That of `future`.
pub(crate) async fn catch_async<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let outcome = AssertUnwindSafe(future).catch_unwind().await;
    outcome.map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    /// E-15, W-20: a panic is an error, whatever its payload, and is not quoted.
    #[tokio::test]
    async fn e15_a_panic_is_an_error_that_quotes_nothing() {
        for panics in [|| panic!("hunter2"), || panic_any(7)] {
            let (called, awaited) = (catch::<()>(panics), catch_async(async { panics() }).await);
            assert_eq!((called, awaited), (Err(Panicked), Err(Panicked)));
        }
        assert!(!format!("{Panicked} {Panicked:?}").contains("hunter2"));
        assert_eq!(catch(|| 7), Ok(7));
    }
}
