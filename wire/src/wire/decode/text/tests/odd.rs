//! Unusual texts, and types with unusual requests.

use serde::Deserialize;
use serde_json::Value;

use super::super::from_slice;
use super::decodes_equally;
use super::oracle::{Ignored, Odd, decodes_as_all_types, is_decoded, is_decoded_leniently};

#[test]
#[expect(clippy::too_many_lines, reason = "a list of texts")]
fn w12_odd_texts_decode_as_serde_decodes_as_all_typess_them() {
    let texts: [&[u8]; 104] = [
        b"",
        b" ",
        b"null",
        b"nul",
        b"nulll",
        b"NULL",
        b"true",
        b"false",
        b"tru",
        b"falsee",
        b"truefalse",
        b"0",
        b"-0",
        b"00",
        b"01",
        b"-01",
        b"-",
        b"--1",
        b"+1",
        b"1.",
        b".5",
        b"0.5",
        b"-0.0",
        b"1e5",
        b"1E+5",
        b"1e",
        b"1e+",
        b"1e-400",
        b"1e400",
        b"-1e999",
        b"1.7976931348623157e308",
        b"5e-324",
        b"0.1",
        b"0.30000000000000004",
        b"123456789012345678",
        b"1234567890123456789",
        b"9223372036854775807",
        b"9223372036854775808",
        b"-9223372036854775808",
        b"-9223372036854775809",
        b"18446744073709551615",
        b"18446744073709551616",
        b"340282366920938463463374607431768211455",
        b"1 ",
        b" 1",
        b"1 2",
        b"1,",
        b"1x",
        b"0x10",
        b"1_000",
        b"NaN",
        b"Infinity",
        b"127",
        b"128",
        b"-128",
        b"-129",
        b"3.4028236e38",
        b"\"\"",
        b"\"a\"",
        b"\"",
        b"\"a",
        b"\"a\\\"",
        b"\"\\\"\"",
        b"\"\\/\\b\\f\\n\\r\\t\\\\\"",
        b"\"\\x\"",
        b"\"\\u00e9\"",
        b"\"\\u00\"",
        b"\"\\ud83d\\ude00\"",
        b"\"\\ud83d\"",
        b"\"\\ude00\"",
        b"\"\\ud83d\\u0041\"",
        b"\"\\u0000\"",
        b"\"\x00\"",
        b"\"\x1f\"",
        b"\"\x7f\"",
        b"\"\n\"",
        b"\"\xc3\xa9\"",
        b"\"\xff\"",
        b"\"\xc3\"",
        b"\"\xed\xa0\x80\"",
        b"'a'",
        b"[]",
        b"[ ]",
        b"[1]",
        b"[1,]",
        b"[,1]",
        b"[1 2]",
        b"[1,,2]",
        b"[1",
        b"[",
        b"]",
        b"[}",
        b"{]",
        b"[[],[[]],{}]",
        b"{}",
        b"{ }",
        b"{\"a\":1,}",
        b"{,}",
        b"{\"a\"}",
        b"{\"a\":}",
        b"{1:1}",
        b"{a:1}",
        b"{\"a\":1 \"b\":2}",
        b"\xef\xbb\xbf{}",
    ];
    for text in texts {
        decodes_as_all_types(text);
    }
}

#[test]
fn w12_odd_objects_decode_as_serde_decodes_as_all_typess_them() {
    let texts = [
        r#"{"a":1,"a":2,"b":{"a":[1,2],"a":null}}"#,
        r#"{"b":1,"a":2,"\u0061":3,"é":4,"":5}"#,
        r#" { "text" : "a" , "array" : [ [ 1 , 2 ] , [ ] , [ 3 ] ] } "#,
        r#"{"text":"a","text":"b"}"#,
        r#"{"text":"a\n\u00e9\ud83d\ude00","char":"\u00e9","bytes":"a\n"}"#,
        r#"{"bool":true,"small":-128,"large":-170141183460469231731687303715884105728}"#,
        r#"{"natural":18446744073709551615,"huge":340282366920938463463374607431768211455}"#,
        r#"{"float":0.1,"single":0.1,"unit":null,"char":"ab"}"#,
        r#"{"float":5,"single":-7,"char":"a","bytes":[1,2,255]}"#,
        r#"{"bytes":"abc","pair":[1,"b"],"newtype":"n"}"#,
        r#"{"pair":[1,"b",2]}"#,
        r#"{"pair":[1]}"#,
        r#"{"choice":"nothing","choices":["nothing",{"text":"a"},{"pair":[1,2]},{"fields":{"a":1,"b":[]}}]}"#,
        r#"{"choice":{"nothing":null}}"#,
        r#"{"choice":{"nothing":1}}"#,
        r#"{"choice":{"text":"a","pair":[1,2]}}"#,
        r#"{"choice":{}}"#,
        r#"{"choice":"text"}"#,
        r#"{"choice":{"fields":[1,2]}}"#,
        r#"{"choice":{ "text" : "a" } }"#,
        r#"{"tagged":{"type":"plain","a":[1,2.5,"x"]}}"#,
        r#"{"tagged":{"a":{"b":1},"type":"plain"}}"#,
        r#"{"tagged":{"type":"empty","b":1}}"#,
        r#"{"untagged":{"a":[1,300,"x",[]]}}"#,
        r#"{"numbers":{"1":1,"-2":2},"naturals":{"18446744073709551615":1}}"#,
        r#"{"numbers":{"1.5":1}}"#,
        r#"{"numbers":{" 1":1}}"#,
        r#"{"numbers":{"1 ":1}}"#,
        r#"{"numbers":{"":1}}"#,
        r#"{"numbers":{"-":1}}"#,
        r#"{"numbers":{"1\u0030":1}}"#,
        r#"{"flags":{"true":1,"false":2},"chars":{"a":1}}"#,
        r#"{"flags":{"True":1}}"#,
        r#"{"names":{"a":"nothing"},"keys":{"one":1,"two":2}}"#,
        r#"{"keys":{"three":1}}"#,
        r#"{"lenient":7,"other":[1,{"a":"b"}]}"#,
        r#"{"lenient":"x","text":"a"}"#,
        r#"{"lenient":[1,2],"text":"a"}"#,
        r#"{"lenient":{"a":1},"text":"a"}"#,
        r#"{"lenient":1.5,"text":"a"}"#,
        r#"{"lenient":300,"text":"a"}"#,
        r#"{"unknown":{"a":[1e5,"\u0041",true,null,[]]},"text":"a"}"#,
        r#"{"unknown":"\ud800","text":"a"}"#,
        r#"{"a":{"b":[{"c":[]}]}} x"#,
        r#"{"a":1}}"#,
        r#"{"a":"b""#,
        "[true,1,-128,1]",
    ];
    for text in texts {
        decodes_as_all_types(text.as_bytes());
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
