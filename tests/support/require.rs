//! Requirements of tests that not every machine meets. Without them a test is skipped with a
//! message, or fails.
//!
//! `INFORMER_REQUIRE` lists, separated by commas, the requirements that the machine must meet:
//! `real-servers` (`kube-apiserver`, `etcd` and `kubectl`), `go` and `browser` (`chromedriver`, and the
//! Chromium that it starts). A test that lacks one of them fails.
//!
//! This file is part of several test crates, including other packages, so it uses only `std`.

use std::io::Write;

/// Environment variable with the mandatory requirements.
const VARIABLE: &str = "INFORMER_REQUIRE";

/// All known requirements.
const KNOWN: [&str; 3] = ["real-servers", "go", "browser"];

/// Returns the requirement of a test, of the kind `what`, if it is `found`. Otherwise prints on
/// standard error that the test is skipped, and why.
///
/// # Panics
///
/// Panics if `what` is missing and `INFORMER_REQUIRE` lists it, or if that variable lists an
/// unknown requirement.
pub(crate) fn need<T>(what: &str, found: Result<T, String>) -> Option<T> {
    let required = std::env::var(VARIABLE).unwrap_or_default();
    // The harness captures the output of `eprintln!` for failed tests, but does not capture direct
    // writes to stderr.
    need_in(&required, &mut std::io::stderr(), what, found)
}

/// Works like [`need`], with the value of the variable and the output as arguments.
pub(crate) fn need_in<T>(
    required: &str,
    output: &mut impl Write,
    what: &str,
    found: Result<T, String>,
) -> Option<T> {
    let required: Vec<&str> = required.split(',').map(str::trim).collect();
    for word in required.iter().filter(|word| !word.is_empty()) {
        let known = KNOWN.join(" and ");
        assert!(
            KNOWN.contains(word),
            "{VARIABLE} knows {known}, not {word:?}"
        );
    }
    let why = match found {
        Ok(found) => return Some(found),
        Err(why) => why,
    };
    assert!(
        !required.contains(&what),
        "{VARIABLE} names {what}, but {why}"
    );
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    // An error of the output cannot be reported.
    let _ = writeln!(output, "SKIPPED {test}: {why}");
    None
}
