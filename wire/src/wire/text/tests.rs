use super::*;

#[test]
fn w20_a_quoted_text_is_bounded_and_on_one_line() {
    assert_eq!(printable("a\nb\u{1b}c", 9), "a\u{fffd}b\u{fffd}c");
    assert_eq!(printable("aéb", 2), "a");
    assert_eq!(printable("aéb", 3), "aé");
    assert_eq!(printable("\n\n\n", 4), "\u{fffd}");
    assert_eq!(printable("", 3), "");
}
