//! What some tests need and not every machine has: without it they are skipped, aloud, or fail.
//!
//! `INFORMER_REQUIRE` names, with commas between, what a machine is known to have: `real-servers`
//! (`kube-apiserver`, `etcd` and `kubectl`) and `go`. A test that lacks something of it fails.
//!
//! Part of several test crates, some of them of other packages: it uses nothing but `std`.

use std::io::Write;

/// The variable that names what may not be missing.
const VARIABLE: &str = "INFORMER_REQUIRE";

/// Everything that it can name.
const KNOWN: [&str; 2] = ["real-servers", "go"];

/// Returns what a test needs, of the kind `what`, if it is `found`. If it is not, says on standard
/// error that the test is skipped, and why.
///
/// # Panics
///
/// `what` is missing and `INFORMER_REQUIRE` names it, or that variable names something unknown.
pub(crate) fn need<T>(what: &str, found: Result<T, String>) -> Option<T> {
    let required = std::env::var(VARIABLE).unwrap_or_default();
    // The harness keeps what `eprintln!` prints for tests that fail; it does not see this.
    need_in(&required, &mut std::io::stderr(), what, found)
}

/// As [`need`], with the value of the variable, and what to say it on.
pub(crate) fn need_in<T>(
    required: &str,
    said: &mut impl Write,
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
    // There is nobody to tell who would not hear this.
    let _ = writeln!(said, "SKIPPED {test}: {why}");
    None
}
