use std::panic::panic_any;

use super::*;

/// E-15, W-20: a panic becomes an error, whatever its payload, and the error does not quote it.
#[tokio::test]
async fn e15_a_panic_is_an_error_that_quotes_nothing() {
    for panics in [|| panic!("hunter2"), || panic_any(7)] {
        let (called, awaited) = (catch::<()>(panics), catch_async(async { panics() }).await);
        assert_eq!((called, awaited), (Err(Panicked), Err(Panicked)));
    }
    assert!(!format!("{Panicked} {Panicked:?}").contains("hunter2"));
    assert_eq!(catch(|| 7), Ok(7));
}
