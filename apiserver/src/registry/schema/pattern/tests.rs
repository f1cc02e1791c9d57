use super::*;

#[track_caller]
fn check_matches(pattern: &str, matching: &[&str], others: &[&str]) {
    let patterns = Patterns::default();
    assert_eq!(check(pattern), Ok(()), "{pattern}");
    for text in matching {
        assert!(patterns.is_match(pattern, text), "{pattern} in {text}");
    }
    for text in others {
        assert!(!patterns.is_match(pattern, text), "{pattern} not in {text}");
    }
}

/// Results of `regexp` in Go 1.26.
#[test]
fn patterns_match_as_in_go() {
    check_matches("b", &["abc"], &["ac"]);
    check_matches("^a$", &["a"], &["ab", "a\n"]);
    check_matches(r"^\d+$", &["12"], &["\u{0661}\u{0662}", ""]);
    check_matches(r"^\D$", &["x", "ü", "\u{0661}"], &["1"]);
    check_matches(r"^\w+$", &["a_1"], &["ü"]);
    check_matches(r"^[\w.-]+$", &["a.b-c"], &["ü", "a b"]);
    check_matches(r"^[^\s]+$", &["a\u{a0}b"], &["a b"]);
    check_matches(r"^[\S]$", &["\u{a0}"], &[" "]);
    check_matches(r"\bfoo\b", &["a foo", "üfooü"], &["afoo"]);
    check_matches("^.$", &["ü"], &["\n", "ab"]);
    check_matches("(?s)^.$", &["\n"], &[]);
    check_matches("^[[a]$", &["[", "a"], &["b"]);
    check_matches("^[]a]$", &["]", "a"], &["b"]);
    check_matches("^[^]a]$", &["b"], &["]", "a"]);
    check_matches("^[a&&b]$", &["&", "a", "b"], &["c"]);
    check_matches("^[[:alpha:]_]$", &["a", "_"], &[":", "1"]);
    check_matches("^[+--]$", &["+", ",", "-"], &["."]);
    check_matches("^[a~~b]$", &["~", "a"], &["c"]);
    check_matches("a{,2}", &["a{,2}"], &["aa"]);
    check_matches("^{}$", &["{}"], &[""]);
    check_matches("^a{2}$", &["aa"], &["a"]);
    check_matches(r"^\Qa.b(\E+$", &["a.b((("], &["axb("]);
    check_matches(r"^\<\/\>$", &["</>"], &[]);
    check_matches(r"^\pL\p{Greek}$", &["xα"], &["αx"]);
    check_matches(r"^\x41\101\z", &["AA"], &[]);
    check_matches("(?P<a>x)(?i:y)", &["xY"], &["Xy"]);
}

#[test]
fn patterns_that_go_rejects_are_rejected() {
    for pattern in [
        "(",
        "a)",
        "[a",
        "(?=a)",
        "(?!a)",
        "*",
        r"\",
        "[z-a]",
        r"\p{Nothing}",
    ] {
        assert!(check(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn compiled_size_and_cache_are_bounded() {
    let patterns = Patterns::default();
    let large = "((a{900}){900}){900}";
    assert_eq!(check(large), Ok(()), "its syntax is valid");
    assert!(
        patterns.is_match(large, "x"),
        "it is too large to be checked"
    );
    for number in 0..=MAX_KEPT {
        assert!(patterns.is_match(&format!("^{number}$"), &number.to_string()));
    }
    assert_eq!(patterns.0.lock().len(), MAX_KEPT);
    let deep = "(".repeat(10_000) + &")".repeat(10_000);
    assert!(check(&deep).is_err());
}
