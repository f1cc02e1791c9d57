use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Files with the tests that replay the corpora.
const TESTS: [&str; 3] = [
    "fuzz/properties/tests/generator.rs",
    "fuzz/properties/tests/replay.rs",
    "informer-derive/src/fuzzing/tests.rs",
];
/// Maximum size of all corpora together, in bytes, because every checkout contains them.
const MAX_CORPORA: usize = 500 << 10;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: impl AsRef<Path>) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Returns the file names in a folder, without extensions.
fn stems(folder: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    entries.map(|entry| stem(entry.unwrap().path())).collect()
}

#[test]
fn every_target_has_a_corpus_and_a_test_that_replays_it() {
    let targets = stems("fuzz/fuzz_targets");
    assert_eq!(stems("fuzz/corpus"), targets);
    let manifest = text("fuzz/Cargo.toml");
    let tests = TESTS.map(text).concat();
    for target in &targets {
        let source = text(format!("fuzz/fuzz_targets/{target}.rs"));
        assert!(source.contains(&format!("::{target}(")), "{target}");
        assert!(
            manifest.contains(&format!("name = \"{target}\"")),
            "{target}"
        );
        let call = format!("check(\"{target}\", {target})");
        assert!(tests.contains(&call), "no test calls {call}");
        assert!(!corpus(target).is_empty());
    }
}

#[test]
fn corpora_are_small() {
    let targets = stems("fuzz/fuzz_targets");
    let entries = targets.iter().flat_map(|target| corpus(target));
    let size: usize = entries.map(|entry| entry.bytes.len()).sum();
    assert!(size <= MAX_CORPORA, "{size} bytes");
}

#[test]
#[should_panic(expected = "json_list does not hold. Test failed: not an entry")]
fn a_property_that_a_random_input_violates_is_found() {
    check("json_list", |input| {
        let mut entries = corpus("json_list").into_iter();
        assert!(entries.any(|entry| entry.bytes == input), "not an entry");
    });
}

#[test]
#[should_panic(expected = "json_list does not hold for json_list/")]
fn a_property_that_an_entry_violates_names_it() {
    check("json_list", |input| assert!(input.is_empty()));
}

#[test]
fn inputs_are_small_differ_and_have_parts_of_several_entries() {
    let mut runner = TestRunner::deterministic();
    let strategy = inputs(corpus("json_watch"));
    let mut seen = BTreeSet::new();
    for _ in 0..1000 {
        let tree = strategy.new_tree(&mut runner).unwrap();
        let input = proptest::strategy::ValueTree::current(&tree).0;
        assert!(input.len() <= MAX_INPUT);
        seen.insert(input);
    }
    assert!(seen.len() > 800, "{} of 1000", seen.len());
    // No entry has both.
    let has = |input: &[u8], word: &[u8]| input.windows(word.len()).any(|part| part == word);
    let is_mixed = |input: &&Vec<u8>| has(input, b"metadata") && has(input, b"Expired");
    assert!(seen.iter().any(|input| is_mixed(&input)));
}
