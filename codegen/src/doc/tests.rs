use super::*;

/// rustdoc sees no markup in descriptions that it would warn about, and no code that it would run.
#[test]
fn descriptions_are_prose() {
    let lines = |text: &str| Doc::wrapped(text, 40).0;
    assert_eq!(lines(" a\n\n\n b \n\n"), ["a", "", "b"]);
    assert_eq!(
        lines("one two three four five six seven eight nine"),
        ["one two three four five six seven eight", "nine"]
    );
    assert_eq!(
        lines("see (https://a.b/c?d=[e]), [x] <y> `z[0]`"),
        ["see (<https://a.b/c?d=>\\[e\\]), \\[x\\]", "\\<y\\> `z[0]`"]
    );
    assert_eq!(lines("a `b"), ["a \\`b"]);
    assert_eq!(
        lines("```go\nx := 1\n```\n    y"),
        ["x := 1", "", "y"],
        "no code, which would be a test"
    );
    assert_eq!(
        lines("# a\n- b\n* c\n==="),
        ["\\# a", "- b", "\\* c", "\\==="]
    );
    assert_eq!(lines("a\u{202e}b\u{0}\tc"), ["ab c"]);
}

/// Wherever lines break: neither a fence nor an open span is at the beginning of a line.
#[test]
fn a_fence_begins_no_line() {
    let lines = |text: &str| Doc::wrapped(text, 8).0;
    assert_eq!(lines("aaa bbb ````rust"), ["aaa bbb", "\\`\\`\\`\\`rust"]);
    assert_eq!(lines("aaa bbb ~~~"), ["aaa bbb", "\\~\\~\\~"]);
    assert_eq!(lines("aaa `b ~~~`"), ["aaa", "`b ~~~`"]);
    assert_eq!(lines("`aaaaaa # <b>`"), ["\\`aaaaaa", "\\#", "\\<b\\>\\`"]);
    assert_eq!(lines("``a``"), ["\\`\\`a\\`\\`"]);
}
