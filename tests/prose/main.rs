//! The words of the repository: doc comments, pages, and messages to users.
//!
//! `CONTRIBUTING.md` has the rules. These tests hold the part of them that a program can check.

#![expect(clippy::unwrap_used, reason = "an unreadable file fails the test")]

mod links;
#[path = "../support/files.rs"]
mod walk;

use std::fs;
use std::path::{Path, PathBuf};

/// Words that open an embedded question, where a reader expects a statement.
const QUESTIONS: [&str; 6] = ["What", "How", "Whether", "Where", "Why", "Which"];

/// A line of documentation.
struct Line<'a> {
    number: usize,
    /// The line without indentation and comment markers.
    text: &'a str,
    /// `true` for the first line of a doc comment.
    is_first: bool,
    /// `true` inside a fenced code block.
    is_code: bool,
}

/// Seen to fail with `/// What a reader wants.` above an item.
#[test]
fn doc_comments_open_with_a_statement() {
    let mut faults = Vec::new();
    for file in files("rs") {
        let text = fs::read_to_string(&file).unwrap();
        for (line, _) in doc_comments(&text).filter(|(line, _)| line.is_first) {
            let first = line
                .text
                .split(|letter: char| !letter.is_alphabetic())
                .next();
            if first.is_some_and(|word| QUESTIONS.contains(&word)) {
                faults.push(format!("{}: {}", place(&file, &line), line.text));
            }
        }
    }
    assert!(
        faults.is_empty(),
        "doc comments that open with a question: say \"Returns ..\", \"Number of ..\", \"`true` if ..\"\n{}",
        faults.join("\n")
    );
}

/// Maximum number of characters in a line of a doc comment.
const WIDTH: usize = 120;

/// rustfmt leaves comments as they are. Tables, code and links cannot be wrapped.
///
/// Seen to fail with the doc comment of `aliases` in one line.
#[test]
fn doc_comments_are_wrapped() {
    let mut faults = Vec::new();
    for file in files("rs") {
        let text = fs::read_to_string(&file).unwrap();
        for (line, whole) in doc_comments(&text) {
            let is_whole = line.is_code
                || line.text.starts_with('|')
                || ["](", "://"].iter().any(|link| line.text.contains(link));
            if whole.chars().count() > WIDTH && !is_whole {
                faults.push(place(&file, &line));
            }
        }
    }
    let faults = faults.join("\n");
    assert!(faults.is_empty(), "more than {WIDTH} columns\n{faults}");
}

/// Returns the lines of the doc comments of a source file, with the whole lines.
fn doc_comments(text: &str) -> impl Iterator<Item = (Line<'_>, &str)> {
    let mut is_inside = false;
    let mut is_code = false;
    text.lines().enumerate().filter_map(move |(at, whole)| {
        let trimmed = whole.trim_start();
        let comment = trimmed.strip_prefix("//!").or_else(|| {
            trimmed
                .strip_prefix("///")
                .filter(|rest| !rest.starts_with('/'))
        });
        let Some(comment) = comment else {
            (is_inside, is_code) = (false, false);
            return None;
        };
        let text = comment.trim_start();
        let is_fence = text.starts_with("```");
        is_code ^= is_fence;
        let is_first = !is_inside;
        is_inside = true;
        let line = Line {
            number: at + 1,
            text,
            is_first,
            is_code: is_code || is_fence,
        };
        Some((line, whole))
    })
}

/// Returns the lines of a page. Indentation in front of a fence is allowed.
fn page(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut is_code = false;
    text.lines().enumerate().map(move |(at, line)| {
        let text = line.trim_start();
        let is_fence = text.starts_with("```");
        is_code ^= is_fence;
        Line {
            number: at + 1,
            text,
            is_first: false,
            is_code: is_code || is_fence,
        }
    })
}

/// Build results, and output that other tests compare.
const SKIPPED: [&str; 3] = ["target", "golden", "corpus"];

/// Returns all files of the repository with this extension, in order of their paths.
fn files(extension: &str) -> Vec<PathBuf> {
    files_below(Path::new(env!("CARGO_MANIFEST_DIR")), extension)
}

fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    walk::files(folder, extension, &SKIPPED).unwrap()
}

fn place(file: &Path, line: &Line<'_>) -> String {
    format!("{}:{}", relative(file), line.number)
}

fn relative(file: &Path) -> String {
    let path = file
        .strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .unwrap_or(file);
    path.display().to_string()
}
