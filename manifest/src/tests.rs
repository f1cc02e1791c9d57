use serde_json::{Value, json};

use super::*;

fn parsed(text: &str) -> Vec<Value> {
    parse(text).unwrap()
}

#[test]
fn quoted_scalars_may_be_continued_at_the_indentation_of_their_key() {
    for (text, expected) in [
        (
            "a:\n  description: 'one line\n  and another'\n  b: 1\n",
            json!({ "a": { "description": "one line and another", "b": 1 } }),
        ),
        (
            "a:\n  d: \"it's\n\n  \\\"2\\\"\n\n\n  end\" # it's the end\n  b: 'x'\n",
            json!({ "a": { "d": "it's\n\"2\"\n\nend", "b": "x" } }),
        ),
        (
            "list:\n- name: 'a\n  b'\n  t: it's\n- 'c\nd'\n- [x, 'y\n  z', {k: 'v\n w'}]\n",
            json!({ "list": [{ "name": "a b", "t": "it's" }, "c d", ["x", "y z", { "k": "v w" }]] }),
        ),
        (
            "a:\n  'key': 'x\n  y'\n  \"b\": !!str \"c\n  d\"\n",
            json!({ "a": { "key": "x y", "b": "c d" } }),
        ),
        ("a: 'x''y\nz'\n", json!({ "a": "x'y z" })),
        ("a: 'x\nb: ''c''\n  - d'\n", json!({ "a": "x b: 'c' - d" })),
    ] {
        assert_eq!(parsed(text), [expected], "{text}");
    }
}

#[test]
fn quotes_within_other_scalars_open_nothing() {
    let text = "\
# it's a comment
a:
  # another's
  block: |
    it's 'one
    x: \"two

   three's
  folded: >-
    it's
  plain: it's
    'four
    five
  url: http://x'y # 'six
  list:
  - |
    it's
  - it's
    'seven
  - k: |
      it's
    l: what's
      'eight
  flow: {a: it's, b: [c's,
    'x', d's]}
  d: 'one
  two'
";
    let strict_text = text
        .replace("\n   three's", "")
        .replace("'one\n  two'", "one two");
    let mut expected: Value = strict::<Value>(&strict_text).unwrap().remove(0);
    expected["a"]["d"] = "one two".into();
    let text = text.replace("\n   three's", "");
    assert!(
        strict::<Value>(&text).is_err(),
        "the parser still rejects this text"
    );
    assert_eq!(parsed(&text), [expected]);
}

#[test]
fn an_error_elsewhere_keeps_its_position() {
    let error = parse::<Value>("a:\n  b: 'x\n  y'\n  c: [1,\n").unwrap_err();
    assert_eq!((error.line, error.column), (4, 6), "{error}");
    let error = parse::<Value>("a: 1\na: 2\n").unwrap_err();
    assert_eq!((error.line, error.column), (2, 1), "{error}");
    assert!(!error.message.contains("Policy"), "{error}");
}

#[test]
fn consecutive_json_documents_are_parsed() {
    for text in [
        "{\"a\": 1}{\"b\": \"}{\\\"\"}",
        "{\"a\": 1}\n{\"b\": \"}{\\\"\"}\n",
        "\n{\n  \"a\": 1\n}\n\n  {\n  \"b\": \"}{\\\"\"\n}  \n",
    ] {
        assert_eq!(
            parsed(text),
            [json!({ "a": 1 }), json!({ "b": "}{\"" })],
            "{text}"
        );
    }
    assert_eq!(parsed("{a: 1}\n---\n{b: 2}\n").len(), 2, "this is YAML");
    assert_eq!(
        parsed("{\"a\": \"\\ud83d\\ude00\"}"),
        [json!({ "a": "😀" })]
    );
}

#[test]
fn an_error_in_a_later_json_document_has_its_position_in_the_file() {
    let error = parse::<Value>("{\"a\": 1}\n{\"b\": 1,\n \"b\": 2}\n").unwrap_err();
    assert_eq!((error.line, error.column), (3, 2), "{error}");
    let error = parse::<Value>("{\"a\": 1} {\"b\": 1, \"b\": 2}\n").unwrap_err();
    assert_eq!((error.line, error.column), (1, 19), "{error}");
}

#[test]
fn utf_16_is_detected_by_its_byte_order_mark() {
    let text = "kind: Für\n";
    let units: Vec<u16> = std::iter::once(0xfeff).chain(text.encode_utf16()).collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in [
        little.clone(),
        big,
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
    ] {
        assert_eq!(decode(bytes).unwrap(), text);
    }
    let odd = little.get(..little.len() - 1).unwrap().to_vec();
    assert!(matches!(decode(odd), Err(NotText::Utf16)));
    assert!(matches!(
        decode(vec![0xff, 0xfe, 0, 0xd8]),
        Err(NotText::Utf16)
    ));
    assert!(matches!(decode(vec![b'a', 0xff]), Err(NotText::Utf8(_))));
}

/// Indenting each continuation line to the deepest line would make the text much longer.
#[test]
fn a_text_with_lines_of_any_depth_is_not_made_longer() {
    let text = |depth| format!("a:\n  b: 'x\n  y'\n{}# deep\n", " ".repeat(depth));
    assert_eq!(parsed(&text(1000)), [json!({ "a": { "b": "x y" } })]);
    let error = parse::<Value>(&text(1001)).unwrap_err();
    assert!(error.message.contains("indentation"), "{error}");
}
