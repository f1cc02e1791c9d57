//! What a caught panic said.

use std::any::Any;

/// The message of a panic's payload, as far as it has one.
pub(crate) fn message(payload: &(dyn Any + Send)) -> &str {
    payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, panic_any};

    use super::*;

    /// E-15: texts of both kinds; anything else has nothing to say.
    #[test]
    fn e15_a_panic_is_quoted_as_far_as_it_said_something() {
        let said = |panics: fn()| message(&*catch_unwind(panics).unwrap_err()).to_owned();
        assert_eq!(said(|| panic!("a text")), "a text");
        assert_eq!(said(|| panic!("{} text", 1)), "1 text");
        assert_eq!(said(|| panic_any(1)), "no message");
    }
}
