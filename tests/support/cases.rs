//! Cases of YAML files as tests, each with a name of its own, which can be run alone.

/// Declares a module for a file of cases, with a test for each: `play` is called with the text of the file
/// and the name of the test, which has the words of the case.
macro_rules! cases {
    ($play:ident: $($file:ident, $path:literal: $($name:ident)+;)+) => {
        $(mod $file {
            pub(super) const TEXT: &str = include_str!($path);
            pub(super) const NAMES: &[&str] = &[$(stringify!($name)),+];
            $(
                #[test]
                fn $name() {
                    super::$play(TEXT, stringify!($name));
                }
            )+
        })+
    };
}

pub(crate) use cases;

/// Returns the names of the tests of a file, in order.
pub(crate) fn names_in(text: &str) -> Vec<String> {
    let cases = text
        .lines()
        .filter_map(|line| line.strip_prefix("- test: "));
    cases.map(name_of).collect()
}

/// Returns the name of the test of a case.
pub(crate) fn name_of(case: &str) -> String {
    let words = case.split(|symbol: char| !symbol.is_ascii_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.join("_")
}
