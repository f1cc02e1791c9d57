//! `CONFORMANCE.md` and the tests agree: a test names each entry of the page, and each entry that a
//! test names is on the page.
//!
//! A test names entries in the doc comment directly above its function, and one as the prefix of its
//! name: `a01_`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[path = "support/files.rs"]
mod files;

/// Folders with tests.
const ROOTS: [&str; 12] = [
    "apiserver",
    "controller",
    "debug",
    "fuzz",
    "informer-derive",
    "informer-gen",
    "manifest",
    "protobuf",
    "runtime",
    "src",
    "tests",
    "wire",
];

/// Seen to fail without the doc comment of a test, without the prefix of another, without an entry,
/// and with an entry twice.
#[test]
fn tests_name_all_entries_and_no_others() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("tests/CONFORMANCE.md")).expect("the page is readable");
    let mut faults = Vec::new();
    let mut entries = BTreeSet::new();
    for (id, _) in entries_of(&page) {
        if !entries.insert(id.to_owned()) {
            faults.push(format!("{id} is on the page twice"));
        }
    }
    let mut named = BTreeSet::new();
    for folder in ROOTS {
        let sources = files::files(&root.join(folder), "rs", &["target"]);
        for file in sources.expect("the sources are readable") {
            let text = fs::read_to_string(&file).expect("the source is readable");
            for id in named_in(&text) {
                if !entries.contains(&id) {
                    faults.push(format!("{} names {id}, which has no entry", file.display()));
                }
                named.insert(id);
            }
        }
    }
    let unproven = entries.difference(&named);
    faults.extend(unproven.map(|id| format!("no test names {id}")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The guide for users of client-go explains every entry that is marked as a difference.
#[test]
fn every_difference_from_client_go_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("the page is readable");
    let page = read("tests/CONFORMANCE.md");
    let guide = read("docs/from-client-go.md");
    let explained: BTreeSet<&str> = ids_in(&guide).collect();
    let differs = entries_of(&page).filter(|(_, text)| text.contains("(differs"));
    let differs: BTreeSet<&str> = differs.map(|(id, _)| id).collect();
    let missing: Vec<_> = differs.difference(&explained).collect();
    assert!(missing.is_empty(), "the guide lacks {missing:?}");
    let others: Vec<_> = explained.difference(&differs).collect();
    assert!(others.is_empty(), "these are no differences: {others:?}");
}

/// Returns the ids and the statements of the entries of the page: `- **X-00** statement`.
fn entries_of(page: &str) -> impl Iterator<Item = (&str, &str)> {
    let entries = page.split("\n- **").skip(1);
    entries.filter_map(|entry| {
        entry
            .split_once("\n\n")
            .unwrap_or((entry, ""))
            .0
            .split_once("** ")
    })
}

/// Returns the entries that the test functions of a source name, in the doc comments directly above
/// them and as prefixes of their names.
fn named_in(text: &str) -> Vec<String> {
    let (mut named, mut above) = (Vec::new(), Vec::new());
    let mut is_test = false;
    // Counts the brackets of an attribute with several lines.
    let mut open_brackets = 0;
    for line in text.lines().map(str::trim) {
        if open_brackets > 0 || line.starts_with("#[") {
            is_test |= is_test_attribute(line);
            open_brackets += line.matches('[').count();
            open_brackets = open_brackets.saturating_sub(line.matches(']').count());
        } else if let Some(doc) = line.strip_prefix("///") {
            above.extend(ids_in(doc).map(str::to_owned));
        } else {
            if is_test {
                named.append(&mut above);
                named.extend(prefix_of(line));
            }
            above.clear();
            is_test = false;
        }
    }
    named
}

/// Returns the entry with which the name of a function begins: `A-01` of `fn a01_name()`.
fn prefix_of(line: &str) -> Option<String> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let prefix = line.strip_prefix("fn ")?.split('_').next()?;
    let (letter, number) = prefix.split_at_checked(1)?;
    let id = format!("{}-{number}", letter.to_ascii_uppercase());
    ids_in(&id).next().map(str::to_owned)
}

/// Reports whether the attribute is `#[test]` or `#[tokio::test(..)]`, also inside macros that
/// create tests (`proptest!`, `scenarios!`).
fn is_test_attribute(line: &str) -> bool {
    let path = line.strip_prefix("#[").unwrap_or_default();
    let path = path.split(['(', ']']).next().unwrap_or_default();
    path.rsplit("::").next() == Some("test")
}

/// Returns the words in the form of an entry's id: `K-07`, but not `KEP-55`, `K-070` or `K-07a`.
fn ids_in(text: &str) -> impl Iterator<Item = &str> {
    let in_word = |symbol: char| symbol.is_alphanumeric() || symbol == '-' || symbol == '_';
    text.split(move |symbol| !in_word(symbol)).filter(|word| {
        matches!(word.as_bytes(), [letter, b'-', tens, ones]
            if letter.is_ascii_uppercase() && tens.is_ascii_digit() && ones.is_ascii_digit())
    })
}

#[test]
fn a_doc_comment_directly_above_a_test_and_its_prefix_name_what_it_proves() {
    for proof in [
        "/// A-01.\n/// Text, A-02.\n    #[tokio::test(start_paused = true)]\n    async fn name() {}",
        "#[test]\n/// A-01.\n#[cfg(unix)]\n/// A-02.\nfn name() {}",
        "/// A-01 A-02\n#[tokio::test(\n    flavor = \"x\"\n)]\nasync fn name() {}",
        "/// A-01.\n#[test]\nfn a02_name() {}",
        "#[test]\nfn a01_name() {}\n#[tokio::test]\nasync fn a02() {}",
    ] {
        assert_eq!(named_in(proof), ["A-01", "A-02"], "{proof}");
    }
    for nothing in [
        "//! A-01.\n#[test]\nfn name() {}",
        "/// A-01.\n#[cfg(test)]\nfn helper() {}",
        "/// A-01.\n\n#[test]\nfn name() {}",
        "/// A-01.\nfn helper() {}\n#[test]\nfn name() {}",
        "#[test]\nfn name() {\n    /// A-01.\n    let a = \"A-01\";\n}",
        "/// A-010 A-01x KEP-A-01.\n#[test]\nfn name() {}",
        "fn a01_helper() {}\n#[test]\nfn a1_name() {}\n#[test]\nfn a010_name() {}",
    ] {
        assert_eq!(named_in(nothing), [""; 0], "{nothing}");
    }
}
