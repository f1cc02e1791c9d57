//! The committed inputs of a target.

use std::fs;
use std::path::{Path, PathBuf};

/// One committed input.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The path below `fuzz/corpus`, which says what the input is about.
    pub name: String,
    /// The input.
    pub bytes: Vec<u8>,
}

/// Reads the corpus of `target`, ordered by name.
///
/// Committed entries have a file extension. Those that libFuzzer adds to the folder have none: they
/// are not replayed, so that a test does the same on every machine.
#[must_use]
pub fn corpus(target: &str) -> Vec<Entry> {
    let folder = corpora().join(target);
    let files = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.expect("the folder can be read").path());
    let mut paths: Vec<PathBuf> = files.filter(|path| path.extension().is_some()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{}: no entries", folder.display());
    let entries = paths.into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Entry {
            name: format!("{target}/{name}"),
            bytes: fs::read(&path).expect("the entry can be read"),
        }
    });
    entries.collect()
}

/// The folder of all corpora.
pub(crate) fn corpora() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus")
}
