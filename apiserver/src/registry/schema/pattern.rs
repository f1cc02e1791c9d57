//! Patterns of schemas: Go's regular expressions, by an engine with the same guarantees.
//!
//! Both are RE2 in kind, linear in time and without look-around. They differ in details of the syntax, which are
//! rewritten: Go's `\d`, `\s`, `\w` and `\b` are of ASCII, its brackets do not nest and know no set operations, a `{`
//! that begins no repetition is a letter, and `\Q..\E` quotes.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use regex::bytes::{Regex, RegexBuilder};

/// The compiled patterns that one schema keeps; others are compiled each time.
const MAX_KEPT: usize = 100;

/// The size of a compiled pattern, in bytes.
const MAX_SIZE: usize = 10 << 20;

/// The depth of brackets in a pattern, which Go bounds too.
const MAX_DEPTH: u32 = 250;

/// The patterns of a schema, each compiled when it is needed first.
#[derive(Debug, Clone, Default)]
pub(super) struct Patterns(Arc<Mutex<HashMap<String, Arc<Compiled>>>>);

type Compiled = Result<Regex, regex::Error>;

// === impl Patterns ===

impl Patterns {
    /// Whether `pattern` is found in `text`. One that is too large to be compiled is not checked.
    pub(super) fn is_match(&self, pattern: &str, text: &str) -> bool {
        match self.compiled(pattern).as_ref() {
            Ok(regex) => regex.is_match(text.as_bytes()),
            Err(error) => {
                tracing::warn!(%error, "a pattern of a schema is not checked");
                true
            }
        }
    }

    fn compiled(&self, pattern: &str) -> Arc<Compiled> {
        let mut kept = self.0.lock();
        if let Some(compiled) = kept.get(pattern) {
            return Arc::clone(compiled);
        }
        let compiled = Arc::new(compile(pattern));
        if kept.len() < MAX_KEPT {
            kept.insert(pattern.to_owned(), Arc::clone(&compiled));
        }
        compiled
    }
}

/// Two schemas are the same if they say the same, whatever is compiled of them.
impl PartialEq for Patterns {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Patterns {}

/// Checks the syntax of a pattern.
///
/// # Errors
///
/// If it is no regular expression of Go: why not.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    match compile(pattern) {
        Err(regex::Error::Syntax(text)) => {
            let reason = text.lines().last().unwrap_or_default();
            Err(reason.trim_start_matches("error: ").to_owned())
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Compiles a regular expression of Go.
pub(super) fn compile(pattern: &str) -> Compiled {
    RegexBuilder::new(&rewritten(pattern))
        .size_limit(MAX_SIZE)
        .nest_limit(MAX_DEPTH)
        .octal(true)
        .build()
}

/// The pattern in the engine's syntax.
fn rewritten(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        let (part, length) = match letter {
            '\\' => escape(rest, false),
            '[' => class(rest),
            '{' if !is_repetition(rest) => ("\\{".to_owned(), 1),
            other => (other.to_string(), other.len_utf8()),
        };
        text.push_str(&part);
        rest = rest.get(length..).unwrap_or_default();
    }
    text
}

/// An escape at the beginning of `text`, and its length there.
fn escape(text: &str, in_class: bool) -> (String, usize) {
    if let Some(quoted) = text.strip_prefix("\\Q").filter(|_| !in_class) {
        let end = quoted.find("\\E").unwrap_or(quoted.len());
        let quoted = quoted.get(..end).unwrap_or_default();
        return (regex::escape(quoted), text.len().min(end + 4));
    }
    let Some(letter) = text.chars().nth(1) else {
        return (text.to_owned(), text.len());
    };
    if let ('p' | 'P', Some('{'), Some(end)) = (letter, text.chars().nth(2), text.find('}')) {
        let name = text.get(..=end).unwrap_or_default();
        return (name.to_owned(), name.len());
    }
    let own = match letter {
        'd' | 'D' => Some("0-9"),
        's' | 'S' => Some("\\t\\n\\f\\r "),
        'w' | 'W' => Some("0-9A-Za-z_"),
        _ => None,
    };
    let part = match (own, letter) {
        (Some(members), _) if letter.is_ascii_uppercase() => format!("[^{members}]"),
        (Some(members), _) => format!("[{members}]"),
        (None, 'b' | 'B') if !in_class => format!("(?-u:\\{letter})"),
        (None, '<' | '>') => letter.to_string(),
        (None, _) => format!("\\{letter}"),
    };
    (part, 1 + letter.len_utf8())
}

/// A class in brackets at the beginning of `text`, and its length there.
fn class(text: &str) -> (String, usize) {
    let mut out = String::from("[");
    let mut position = 1;
    if text
        .get(position..)
        .is_some_and(|rest| rest.starts_with('^'))
    {
        out.push('^');
        position += 1;
    }
    let first = position;
    while let Some(rest) = text.get(position..).filter(|rest| !rest.is_empty()) {
        let letter = rest.chars().next().unwrap_or_default();
        let (part, length) = match letter {
            ']' if position > first => {
                out.push(']');
                return (out, position + 1);
            }
            ']' => ("\\]".to_owned(), 1),
            '\\' => escape(rest, true),
            '[' => match rest.find(":]").filter(|_| rest.starts_with("[:")) {
                Some(end) => (rest.get(..end + 2).unwrap_or_default().to_owned(), end + 2),
                None => ("\\[".to_owned(), 1),
            },
            // Set operations there, letters here.
            '&' | '~' => (format!("\\{letter}"), 1),
            '-' if out.ends_with('-') => ("\\-".to_owned(), 1),
            other => (other.to_string(), other.len_utf8()),
        };
        out.push_str(&part);
        position += length;
    }
    (out, text.len())
}

/// Whether `text` begins with `{n}`, `{n,}` or `{n,m}`.
fn is_repetition(text: &str) -> bool {
    let Some((inner, _)) = text.strip_prefix('{').and_then(|text| text.split_once('}')) else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inner.split_once(',') {
        None => is_number(inner),
        Some((least, most)) => is_number(least) && (most.is_empty() || is_number(most)),
    }
}

#[cfg(test)]
mod tests {
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

    /// As `regexp` of Go 1.26 has it.
    #[test]
    fn patterns_mean_what_they_mean_in_go() {
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
    fn what_go_refuses_is_refused() {
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
    fn what_is_compiled_and_kept_is_bounded() {
        let patterns = Patterns::default();
        let large = "((a{900}){900}){900}";
        assert_eq!(check(large), Ok(()), "its syntax is right");
        assert!(patterns.is_match(large, "x"), "it is not checked");
        for number in 0..=MAX_KEPT {
            assert!(patterns.is_match(&format!("^{number}$"), &number.to_string()));
        }
        assert_eq!(patterns.0.lock().len(), MAX_KEPT);
        let deep = "(".repeat(10_000) + &")".repeat(10_000);
        assert!(check(&deep).is_err());
    }
}
