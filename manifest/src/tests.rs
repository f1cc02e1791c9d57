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
    let mut expected = parsed(&strict_text).remove(0);
    expected["a"]["d"] = "one two".into();
    let text = text.replace("\n   three's", "");
    assert_eq!(parsed(&text), [expected]);
}

#[test]
fn an_error_elsewhere_keeps_its_position() {
    let error = parse::<Value>("a:\n  b: 'x\n  y'\n  c: [1,\n").unwrap_err();
    assert_eq!((error.at.line, error.at.column), (4, 6), "{error}");
}

/// J-01, J-04.
#[test]
fn the_last_of_equal_keys_wins_and_is_reported() {
    let text = "a: 1\nb: {c: 1,\n  c: 2}\na: 2\n\"a\": 3\nd: {<<: {e: 1}, e: 2}\n";
    let repeated = |key: &str, line, column| Oddity {
        at: Place { line, column },
        key: key.to_owned(),
        kind: OddKey::Repeated,
    };
    let documents = read(text).unwrap();
    assert_eq!(
        documents[0].oddities,
        [
            repeated("c", 3, 3),
            repeated("a", 4, 1),
            repeated("a", 5, 1)
        ]
    );
    assert_eq!(
        parsed(text),
        [json!({ "a": 3, "b": { "c": 2 }, "d": { "e": 2 } })]
    );
}

#[test]
fn keys_that_are_no_strings_are_reported() {
    let text = "---\nn: 1\n---\na: {010: 1, '010': 2, y: 3}\n";
    let documents = read(text).unwrap();
    let odd: Vec<Vec<&str>> = documents
        .iter()
        .map(|document| {
            let oddities = document.oddities.iter();
            oddities.map(|oddity| oddity.key.as_str()).collect()
        })
        .collect();
    assert_eq!(odd, [vec!["n"], vec!["010", "y"]]);
    let kinds = documents.iter().flat_map(|document| &document.oddities);
    assert!(kinds.clone().all(|oddity| oddity.kind == OddKey::NoString));
    let first = kinds.map(|oddity| oddity.at).next().unwrap();
    assert_eq!((first.line, first.column), (2, 1));
}

#[test]
fn an_error_of_a_value_has_its_position() {
    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only read")]
    struct Foo {
        name: String,
        #[serde(default)]
        ports: Vec<u16>,
        kind: Option<Kind>,
    }
    #[derive(Debug, serde::Deserialize)]
    #[expect(dead_code, reason = "only read")]
    enum Kind {
        Plain,
        Of(String),
        With { size: u8 },
    }
    for (text, at, message) in [
        (
            "name: a\nports:\n- 1\n- 70000\n",
            (4, 3),
            "invalid value: integer `70000`, expected u16",
        ),
        ("name: ~\n", (1, 7), "invalid type: null, expected a string"),
        (
            "name: y\n",
            (1, 7),
            "invalid type: boolean `true`, expected a string",
        ),
        ("---\n\nports: []\n", (3, 1), "missing field `name`"),
        (
            "name: a\nnmae: b\n",
            (2, 7),
            "unknown field `nmae`, expected one of `name`, `ports`, `kind`",
        ),
        (
            "name: a\nkind: [Plain]\n",
            (2, 7),
            "expected the name of a variant, or a mapping with one",
        ),
        (
            "name: a\nkind: {With: {size: x}}\n",
            (2, 21),
            "invalid type: string \"x\", expected u8",
        ),
    ] {
        let error = parse::<Foo>(text).unwrap_err();
        assert_eq!(error.message, message, "{text}");
        assert_eq!((error.at.line, error.at.column), at, "{text}");
    }
    for kind in ["~", "Plain", "{Of: x}", "{With: {size: 1}}", "{Plain: }"] {
        parse::<Foo>(&format!("name: a\nkind: {kind}\n")).unwrap();
    }
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
    for (text, at) in [
        ("{\"a\": 1}\n{\"b\": 1,\n \"b\": @}\n", (3, 7)),
        ("{\"ä\": 1} {\"b\": 1, \"b\": @}\n", (1, 24)),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!((error.at.line, error.at.column), at, "{error}");
    }
}

/// J-05. A document is a slice of the text. The text before the document was once put in front of it, so
/// that this took minutes.
#[test]
fn many_json_documents_are_read_in_linear_time() {
    const COUNT: usize = 20_000;
    let text = "{\"a\": {\"b\": [1]}}\n".repeat(COUNT);
    let documents = read(&text).unwrap();
    assert_eq!(documents.len(), COUNT);
    let last = documents.last().unwrap().root.at;
    assert_eq!((last.line, last.column), (20_000, 1));
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

/// J-05.
#[test]
fn texts_that_expand_beyond_memory_or_stack_are_rejected() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(parsed(&nested(256)).len(), 1);
    assert!(read(&nested(257)).is_err());
    let block = |depth: usize| -> String {
        let lines = (0..depth).map(|level| format!("{}a:\n", " ".repeat(level)));
        lines.collect()
    };
    assert_eq!(parsed(&block(256)).len(), 1);
    assert!(read(&block(257)).is_err());
    let mixed = format!("a: &a {}\nb: [[*a]]\n", nested(253));
    assert_eq!(parsed(&mixed).len(), 1);
    let deeper = mixed.replace("[[*a]]", "[[[*a]]]");
    let error = read(&deeper).unwrap_err();
    assert_eq!(error.message, "the document is deeper than 256 levels");

    let levels = (1..30).map(|level| {
        let aliases = vec![format!("*a{}", level - 1); 9].join(", ");
        format!("a{level}: &a{level} [{aliases}]\n")
    });
    let levels: Vec<String> = levels.collect();
    let error = read(&format!("a0: &a0 [x]\n{}", levels.concat())).unwrap_err();
    assert_eq!(error.message, "aliases expand to more than 100000 values");
    let items = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], ".repeat(1_000);
    let anchored = format!("{}{items}{}\n", "&a [".repeat(200), "]".repeat(200));
    let error = read(&anchored).unwrap_err();
    assert_eq!(error.message, "anchors have more than 1000000 values");
}

/// Indenting each continuation line to the deepest line would make the text much longer.
#[test]
fn a_text_with_lines_of_any_depth_is_not_made_longer() {
    let text = |depth| format!("a:\n  b: 'x\n  y'\n{}# deep\n", " ".repeat(depth));
    assert_eq!(parsed(&text(1000)), [json!({ "a": { "b": "x y" } })]);
    let error = parse::<Value>(&text(1001)).unwrap_err();
    assert!(error.message.contains("indentation"), "{error}");
}
