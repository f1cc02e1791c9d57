use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// Returns the end of a value that arrives in these pieces.
fn end_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<usize> {
    let mut scan = ValueScan::new();
    let mut before = 0;
    for piece in pieces {
        match scan.feed(piece) {
            Scan::More => before += piece.len(),
            Scan::End(at) => return Some(before + at),
            Scan::Bad => return None,
        }
    }
    None
}

/// Finds the end of a value byte by byte, as an oracle.
fn naive_end_of(bytes: &[u8]) -> Option<usize> {
    let is_scalar = match bytes.first()? {
        b'{' | b'[' | b'"' => false,
        b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => true,
        _ => return None,
    };
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if is_scalar {
            if ends_scalar(byte) {
                return Some(at);
            }
            continue;
        }
        // Also outside strings, where JSON does not allow backslashes.
        let was_escaped = std::mem::take(&mut is_escaped);
        match byte {
            b'\\' => is_escaped = !was_escaped,
            b'"' if !was_escaped => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth -= 1,
            _ => {}
        }
        if depth == 0 && !is_text {
            return Some(at + 1);
        }
    }
    None
}

/// Generates any text, preferring characters with a meaning in JSON.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[\"\\\\{}\\[\\],:nu0\u{e9}\n]{0,12}",
        r#"[a-z\\"{}\[\]]{60,200}"#,
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

#[test]
fn w02_a_value_ends_at_the_same_byte_for_every_cut() {
    let values = [
        r#"{"a":[1,{"b":"}]\\\"\u007d"}],"c":"0123456789 0123456789 0123456789 0123456789"}"#,
        r#""a \" b""#,
        r#""""#,
        "[]",
        "{}",
        "[{}]",
        "-12.5e3",
        "null",
        "[[[[]]]]",
        // Not JSON, but its brackets must be paired in the same way in every framing.
        r#"[{}{"a":1}]"#,
    ];
    for value in values {
        let text = format!("{value},\"next\"");
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let bytes = text.as_bytes();
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(end_of(pieces), Some(value.len()), "{value}");
            }
        }
    }
}

/// W-02: runs of backslashes of every length, at every position in a block and across its boundary.
#[test]
fn w02_backslashes_escape_in_pairs_at_any_offset() {
    for before in 0..2 * BLOCK {
        for count in 0..6 {
            let (spaces, backslashes) = (" ".repeat(before), "\\".repeat(2 * count));
            let value = format!(r#"{{{spaces}"{backslashes}":"{backslashes}\"}}]","#);
            let text = format!("{value}{{}}:[]}}]}}");
            let end = text.len() - "]}".len();
            assert_eq!(naive_end_of(text.as_bytes()), Some(end), "{text}");
            assert_eq!(end_of([text.as_bytes()]), Some(end), "{text}");
            let (first, second) = text.as_bytes().split_at(before + 3 + count);
            assert_eq!(end_of([first, second]), Some(end), "{text}");
        }
    }
}

#[test]
fn a_byte_that_starts_no_value_is_bad() {
    for text in ["}", "]", ",", ":", "x", "\u{0}"] {
        assert_eq!(ValueScan::new().feed(text.as_bytes()), Scan::Bad);
    }
}

#[test]
fn a_text_stop_is_found_at_every_distance() {
    for length in 0..80 {
        for stop in [b'"', b'\\'] {
            // Adjacent bytes that differ by one bit, or that cause a carry, must not match.
            let mut text = vec![b'#'; length];
            text.push(stop);
            text.extend_from_slice(b"!\"\\]");
            assert_eq!(find_text_stop(&text), Some((stop, length + 1)));
        }
        assert_eq!(find_text_stop(&vec![b'!'; length]), None);
    }
}

proptest! {
    /// W-02: compared with a naive scanner, for any content of strings, every split in two, and
    /// some splits in many.
    #[test]
    fn w02_a_generated_value_ends_at_the_offset_of_a_naive_scan(
        value in value(),
        rest in prop::sample::select(vec!["", ",", "]", "}", " {}", "\n\"\\\"", "\u{e9}"]),
        size in 1..40_usize,
        is_pretty in any::<bool>(),
    ) {
        let spelt = if is_pretty { format!("{value:#}") } else { value.to_string() };
        // A number has no end of its own.
        let is_scalar = !spelt.starts_with(['{', '[', '"']);
        let rest = if is_scalar { "," } else { rest };
        let text = format!("{spelt}{rest}");
        let bytes = text.as_bytes();
        prop_assert_eq!(naive_end_of(bytes), Some(spelt.len()));
        prop_assert_eq!(end_of([bytes]), Some(spelt.len()));
        for cut in 0..=bytes.len() {
            let (first, second) = bytes.split_at(cut);
            prop_assert_eq!(end_of([first, second]), Some(spelt.len()), "cut at {}", cut);
        }
        prop_assert_eq!(end_of(bytes.chunks(size)), Some(spelt.len()));
    }
}
