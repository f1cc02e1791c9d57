//! Unusual texts, and types with unusual requests.

use serde::Deserialize;
use serde_json::Value;

use super::super::from_slice;
use super::decodes_equally;
use super::oracle::{Ignored, Odd, decodes_as_all_types, is_decoded, is_decoded_leniently};

/// `odd.txt` has a text on each line. The others have spaces at an end, control characters, or are
/// not UTF-8.
#[test]
fn w12_odd_texts_decode_as_serde_decodes_them() {
    let lines = include_str!("odd.txt").lines().map(str::as_bytes);
    let others: [&[u8]; 13] = [
        b"",
        b" ",
        b"1 ",
        b" 1",
        b"\"\x00\"",
        b"\"\x1f\"",
        b"\"\x7f\"",
        b"\"\n\"",
        b"\"\xff\"",
        b"\"\xc3\"",
        b"\"\xed\xa0\x80\"",
        b"\xef\xbb\xbf{}",
        br#" { "text" : "a" , "array" : [ [ 1 , 2 ] , [ ] , [ 3 ] ] } "#,
    ];
    for text in lines.chain(others) {
        decodes_as_all_types(text);
    }
}

/// W-12: common texts must not be rejected.
#[test]
fn w12_common_texts_decode() {
    let texts = [
        r#"{"bool":false,"small":-1,"large":5,"natural":7,"huge":1,"float":1.5,"single":2}"#,
        r#"{"char":"é","text":"a\tb","bytes":[1],"unit":null,"pair":[1,"b"],"array":[[],[1]]}"#,
        r#"{"newtype":"a","choice":"nothing","choices":[{"text":"a"}],"untagged":[1,2.5]}"#,
        r#"{"tagged":{"type":"empty"},"numbers":{"-1":1},"flags":{"true":1},"rest":{"a":[{}]}}"#,
    ];
    for text in texts {
        assert!(is_decoded_leniently::<Odd>(text.as_bytes()), "{text}");
        assert!(is_decoded::<Value>(text.as_bytes()), "{text}");
        assert!(is_decoded::<Ignored>(text.as_bytes()), "{text}");
    }
}

#[test]
fn w12_a_deeply_nested_text_decodes_as_serde_decodes_as_all_typess_it() {
    for depth in [1, 60, 126, 127, 128, 129, 1000] {
        let arrays = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        decodes_equally::<Value>(arrays.as_bytes());
        // `serde_json` allows deeper nesting in values that it skips.
        is_decoded::<Ignored>(arrays.as_bytes());
        let objects = format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        decodes_equally::<Value>(objects.as_bytes());
    }
}

#[test]
fn w12_a_string_ends_at_the_right_place_at_every_length() {
    for length in 0..200 {
        for odd in ["", "\\\"", "\\\\", "\u{e9}", "\u{7f}", "!#]["] {
            let text = format!(
                r#"["{}{odd}{}",1]"#,
                "a".repeat(length),
                "b".repeat(length % 37)
            );
            assert!(is_decoded::<Value>(text.as_bytes()), "{text}");
        }
        for control in ["\u{0}", "\u{1f}", "\n"] {
            let text = format!(r#"["{}{control}b",1]"#, "a".repeat(length));
            assert!(!is_decoded::<Value>(text.as_bytes()), "{text}");
        }
    }
}

/// W-12: arrays have no spare capacity.
#[test]
fn w12_arrays_have_no_spare_capacity() {
    #[derive(Deserialize)]
    struct Nested {
        #[serde(default)]
        inner: Vec<Nested>,
        #[serde(default)]
        texts: Vec<String>,
    }

    fn check(nested: &Nested) -> usize {
        assert_eq!(nested.inner.capacity(), nested.inner.len());
        assert_eq!(nested.texts.capacity(), nested.texts.len());
        1 + nested.inner.iter().map(check).sum::<usize>()
    }

    let text =
        br#"{"inner":[{"texts":["],[",",\",","c"]},{"other":[1,{"a":[2,3]}],"inner":[{},{"texts":
        []}, {"inner":[ ]},{},{"texts":["a","b","c","d","e"]}]},{}]}"#;
    let Ok(nested) = from_slice::<Nested>(text) else {
        panic!("the text is valid");
    };
    assert_eq!(check(&nested), 9);
}

/// Q-16: apart from the stack of the survey, decoding allocates only the decoded value.
#[test]
fn q16_the_end_of_a_text_allocates_nothing() {
    let decode = || assert!(matches!(from_slice::<u64>(b" 7 "), Ok(7)));
    // The thread keeps the marks of its first text.
    decode();
    assert_eq!(allocation_counter::measure(decode).count_total, 1);
}
