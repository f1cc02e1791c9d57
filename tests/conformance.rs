//! `docs/CONFORMANCE.md` and the tests agree.
//!
//! Every behaviour that the page marks as implemented is named by a test in each file that the page
//! lists as proof. Every behaviour that a test names is on the page. A test names behaviours in the
//! doc comment directly above its function. A failure prints the corrected row.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

#[path = "support/files.rs"]
mod files;

/// Sections with their last numbers, so that a deleted entry is detected.
const SECTIONS: [(char, u8); 20] = [
    ('W', 23),
    ('R', 20),
    ('L', 17),
    ('B', 13),
    ('E', 16),
    ('Q', 19),
    ('C', 15),
    ('I', 16),
    ('H', 21),
    ('Y', 10),
    ('T', 7),
    ('F', 20),
    ('M', 7),
    ('S', 9),
    ('G', 18),
    ('K', 18),
    ('X', 6),
    ('N', 9),
    ('O', 3),
    ('Z', 6),
];

/// Folders with tests.
const ROOTS: [&str; 7] = [
    "apiserver",
    "informer-derive",
    "informer-gen",
    "protobuf",
    "runtime",
    "src",
    "tests",
];

const HOLDS: &str = "holds";
const NOT_YET: &str = "not yet";
const IN_PART: &str = "in part: ";
const DOES_NOT_APPLY: &str = "does not apply: ";

/// Entry of the page.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Row {
    id: String,
    behaviour: String,
    state: String,
    proof: BTreeSet<String>,
}

/// Test files by the entries that they name.
type Named = BTreeMap<String, BTreeSet<String>>;

#[test]
fn the_page_and_the_tests_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/CONFORMANCE.md")).expect("the page is readable");
    let mut sources = Vec::new();
    for folder in ROOTS {
        sources.extend(sources_of(root, folder).expect("the sources are readable"));
    }
    let named = named_by(
        sources
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    let mut faults = check(&page, &named, &SECTIONS);
    for file in rows(&page).0.iter().flat_map(|row| &row.proof) {
        if !root.join(file).is_file() {
            faults.push(format!("the file {file} does not exist"));
        }
    }
    assert!(
        faults.is_empty(),
        "docs/CONFORMANCE.md:\n\n{}\n",
        faults.join("\n\n")
    );
}

/// The guide for users of client-go explains every entry that is marked as a difference.
#[test]
fn every_difference_from_client_go_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("the page is readable");
    let (rows, _) = rows(&read("docs/CONFORMANCE.md"));
    let marked = rows.iter().filter(|row| row.behaviour.contains("(differs"));
    let marked: Vec<&str> = marked.map(|row| row.id.as_str()).collect();
    let guide = read("docs/differences-from-client-go.md");
    let explained: Vec<&str> = guide
        .lines()
        .filter_map(|line| line.strip_prefix("- **")?.split_once("** "))
        .map(|(id, _)| id)
        .collect();
    assert_eq!(
        explained, marked,
        "the guide explains other differences, or in another order than docs/CONFORMANCE.md"
    );
}

/// Returns all faults of the page.
fn check(page: &str, named: &Named, sections: &[(char, u8)]) -> Vec<String> {
    let (rows, mut faults) = rows(page);
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    faults.extend(check_ids(&ids, sections));
    for row in &rows {
        let by = named.get(&row.id).cloned().unwrap_or_default();
        if let Err(fault) = row.check(&by) {
            faults.push(format!(
                "{}: {fault}. Correct row:\n{}",
                row.id,
                row.corrected(&by)
            ));
        }
    }
    for (id, files) in named {
        if !ids.contains(&id.as_str()) {
            faults.push(format!(
                "{id} is not on the page, but is named in {}",
                list(files)
            ));
        }
    }
    faults
}

/// Checks that each section's numbers run from 01 to the last one, in order.
fn check_ids(ids: &[&str], sections: &[(char, u8)]) -> Vec<String> {
    let expected: Vec<String> = sections
        .iter()
        .flat_map(|(letter, last)| (1..=*last).map(move |number| format!("{letter}-{number:02}")))
        .collect();
    let mut faults = Vec::new();
    for id in &expected {
        match ids.iter().filter(|known| **known == id).count() {
            0 => faults.push(format!(
                "{id} is missing: an abandoned entry must stay on the page"
            )),
            1 => {}
            times => faults.push(format!("{id} occurs {times} times")),
        }
    }
    for id in ids
        .iter()
        .filter(|id| !expected.iter().any(|known| known == *id))
    {
        faults.push(format!(
            "{id} is new: extend SECTIONS in tests/conformance.rs, without a gap"
        ));
    }
    if faults.is_empty() && ids != expected {
        faults.push("the entries are not in order".to_owned());
    }
    faults
}

/// Returns the rows of all tables, and faults for malformed rows.
fn rows(page: &str) -> (Vec<Row>, Vec<String>) {
    let (mut rows, mut faults) = (Vec::new(), Vec::new());
    for line in page.lines().filter(|line| line.starts_with('|')) {
        // A vertical bar inside a cell is escaped as `\|`.
        let line = line.replace("\\|", "\0");
        let cells: Vec<String> = line
            .trim_matches('|')
            .split('|')
            .map(|cell| cell.trim().replace('\0', "\\|"))
            .collect();
        match cells.as_slice() {
            [id, ..] if id == "id" || id.starts_with("---") => {}
            [id, behaviour, state, proof] if ids_in(id).eq([id.as_str()]) => rows.push(Row {
                id: id.clone(),
                behaviour: behaviour.clone(),
                state: state.clone(),
                proof: files_in(proof),
            }),
            _ => faults.push(format!(
                "expected `| X-00 | behaviour | state | proof |`, found\n{line}"
            )),
        }
    }
    (rows, faults)
}

/// Returns paths in backticks, separated by commas.
fn files_in(cell: &str) -> BTreeSet<String> {
    let files = cell.split(',').map(|file| file.trim().trim_matches('`'));
    files
        .filter(|file| !file.is_empty())
        .map(str::to_owned)
        .collect()
}

fn list(files: &BTreeSet<String>) -> String {
    let files: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    files.join(", ")
}

// === impl Row ===

impl Row {
    /// Compares the row with the files whose tests name its entry.
    fn check(&self, named_by: &BTreeSet<String>) -> Result<(), String> {
        let state = self.state.as_str();
        let has_text = |prefix: &str| state.strip_prefix(prefix).is_some_and(|t| !t.is_empty());
        let wants_proof = state == HOLDS || has_text(IN_PART);
        if !wants_proof && state != NOT_YET && !has_text(DOES_NOT_APPLY) {
            return Err(format!("`{state}` is not a state"));
        }
        if wants_proof && self.proof.is_empty() {
            return Err("the row has no proof".to_owned());
        }
        if !wants_proof && !named_by.is_empty() {
            return Err(format!("the entry is named in {}", list(named_by)));
        }
        if !wants_proof && !self.proof.is_empty() {
            return Err("the state does not allow a proof".to_owned());
        }
        let missing: BTreeSet<String> = self.proof.difference(named_by).cloned().collect();
        if !missing.is_empty() {
            return Err(format!("no test names it in {}", list(&missing)));
        }
        Ok(())
    }

    /// Returns the row corrected by the tests.
    fn corrected(&self, named_by: &BTreeSet<String>) -> Row {
        let state = match self.state.as_str() {
            _ if named_by.is_empty() && !self.state.starts_with(DOES_NOT_APPLY) => NOT_YET,
            state if state.starts_with(IN_PART) || named_by.is_empty() => state,
            _ => HOLDS,
        };
        let kept: BTreeSet<String> = self.proof.intersection(named_by).cloned().collect();
        Row {
            id: self.id.clone(),
            behaviour: self.behaviour.clone(),
            state: state.to_owned(),
            proof: if kept.is_empty() {
                named_by.clone()
            } else {
                kept
            },
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let proof = list(&self.proof);
        write!(
            f,
            "| {} | {} | {} | {proof} |",
            self.id, self.behaviour, self.state
        )
    }
}

// === sources ===

/// Returns all Rust sources below `folder`, with their paths relative to `root`.
fn sources_of(root: &Path, folder: &str) -> io::Result<Vec<(String, String)>> {
    let found = files::files(&root.join(folder), "rs", &["target"])?;
    let source = |file: &PathBuf| {
        let path = file.strip_prefix(root).unwrap_or(file);
        let parts: Vec<_> = path.iter().map(|part| part.to_string_lossy()).collect();
        Ok((parts.join("/"), fs::read_to_string(file)?))
    };
    found.iter().map(source).collect()
}

/// Returns the files whose tests name each entry.
fn named_by<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Named {
    let mut named = Named::new();
    for (path, text) in sources {
        for id in named_in(text) {
            let files = named.entry(id.to_owned()).or_default();
            files.insert(path.to_owned());
        }
    }
    named
}

/// Returns the entries in the doc comments directly above the test functions of a source.
fn named_in(text: &str) -> Vec<&str> {
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
            above.extend(ids_in(doc));
        } else {
            let is_function = line.split(' ').any(|word| word == "fn");
            if is_test && is_function {
                named.append(&mut above);
            }
            above.clear();
            is_test = false;
        }
    }
    named
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

// === the check can fail ===

/// Returns a page with one section A of two entries.
fn page(first: &str, second: &str) -> String {
    format!(
        "# A: a section\n\n| id | behaviour | state | proof |\n|---|---|---|---|\n{first}\n{second}\n"
    )
}

/// Returns the faults of a page with these rows, given one file with a test and its doc comment.
fn faults(first: &str, second: &str, doc: &str) -> String {
    let tests = format!("{doc}\n#[test]\nfn name() {{}}");
    let named = named_by([("a/tests.rs", tests.as_str())].into_iter());
    check(&page(first, second), &named, &[('A', 2)]).join("\n")
}

const NOT_YET_2: &str = "| A-02 | text | not yet | |";

#[test]
fn a_page_that_agrees_with_the_tests_has_no_faults() {
    assert_eq!(
        faults(
            "| A-01 | text | holds | `a/tests.rs` |",
            NOT_YET_2,
            "/// A-01."
        ),
        ""
    );
    assert_eq!(
        faults(
            "| A-01 | a \\| b | in part: b | `a/tests.rs` |",
            NOT_YET_2,
            "/// A-01."
        ),
        ""
    );
    assert_eq!(
        faults("| A-01 | text | does not apply: Go only | |", NOT_YET_2, ""),
        ""
    );
}

#[test]
fn a_row_that_disagrees_with_the_tests_is_printed_corrected() {
    let cases = [
        (
            "| A-01 | text | not yet |  |",
            "/// A-01.",
            "A-01: the entry is named in `a/tests.rs`. Correct row:\n| A-01 | text | holds | `a/tests.rs` |",
        ),
        (
            "| A-01 | text | holds | `a/tests.rs` |",
            "/// A-010 A-01x KEP-A-01.",
            "A-01: no test names it in `a/tests.rs`. Correct row:\n| A-01 | text | not yet |  |",
        ),
        (
            "| A-01 | text | in part: all | `a/tests.rs`, `b/tests.rs` |",
            "/// A-01.",
            "A-01: no test names it in `b/tests.rs`. Correct row:\n| A-01 | text | in part: all | `a/tests.rs` |",
        ),
        (
            "| A-01 | text | holds | |",
            "/// A-01.",
            "A-01: the row has no proof. Correct row:\n| A-01 | text | holds | `a/tests.rs` |",
        ),
        (
            "| A-01 | text | does not apply: | |",
            "",
            "A-01: `does not apply:` is not a state. Correct row:\n| A-01 | text | not yet |  |",
        ),
        (
            "| A-01 | text | does not apply: why | |",
            "/// A-01.",
            "A-01: the entry is named in `a/tests.rs`. Correct row:\n| A-01 | text | holds | `a/tests.rs` |",
        ),
    ];
    for (row, tests, expected) in cases {
        assert_eq!(faults(row, NOT_YET_2, tests), expected);
    }
}

#[test]
fn entries_are_complete_in_order_and_known() {
    let first = "| A-01 | text | not yet | |";
    assert_eq!(
        faults(first, first, ""),
        "A-01 occurs 2 times\nA-02 is missing: an abandoned entry must stay on the page"
    );
    assert_eq!(faults(NOT_YET_2, first, ""), "the entries are not in order");
    assert_eq!(
        faults(
            first,
            &format!("{NOT_YET_2}\n| A-03 | text | not yet | |"),
            ""
        ),
        "A-03 is new: extend SECTIONS in tests/conformance.rs, without a gap"
    );
    assert_eq!(
        faults(first, NOT_YET_2, "/// B-07."),
        "B-07 is not on the page, but is named in `a/tests.rs`"
    );
    let malformed = faults(
        first,
        &format!("{NOT_YET_2}\n| a1 | text | not yet | |"),
        "",
    );
    assert!(malformed.starts_with("expected `| X-00 |"), "{malformed}");
}

#[test]
fn only_a_doc_comment_directly_above_a_test_names_what_it_proves() {
    for proof in [
        "/// A-01, A-02.\n#[test]\nfn name() {}",
        "/// A-01.\n/// Text, A-02.\n    #[tokio::test(start_paused = true)]\n    async fn name() {}",
        "#[test]\n/// A-01.\n#[cfg(unix)]\n/// A-02.\nfn name() {}",
        "/// A-01 A-02\n#[tokio::test(\n    flavor = \"x\"\n)]\n#[expect(\n    a,\n    reason = \"b\"\n)]\nasync fn name() {}",
        "proptest! {\n    /// A-01, A-02.\n    #[test]\n    fn name(value in 0..9) {}\n}",
    ] {
        assert_eq!(named_in(proof), ["A-01", "A-02"], "{proof}");
    }
    for nothing in [
        "//! A-01.\n#[test]\nfn name() {}",
        "// A-01.\n#[test]\nfn name() {}",
        "/// A-01.\nfn helper() {}",
        "/// A-01.\n#[cfg(test)]\nmod tests {}",
        "/// A-01.\n#[cfg(test)]\nfn helper() {}",
        "/// A-01.\n\n#[test]\nfn name() {}",
        "/// A-01.\nfn helper() {}\n#[test]\nfn name() {}",
        "#[test]\nfn name() {\n    // A-01.\n    /// A-01.\n    let a = \"A-01\";\n}",
        "/// A-01.\n#[contest]\nfn name() {}",
    ] {
        assert_eq!(named_in(nothing), [""; 0], "{nothing}");
    }
}
