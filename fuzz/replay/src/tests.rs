use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// Folders of the packages with properties.
const PACKAGES: [&str; 4] = ["informer-derive", "informer-gen", "protobuf", "runtime"];
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
    let mut tests = PACKAGES
        .map(|package| text(format!("{package}/src/fuzzing/tests.rs")))
        .concat();
    // The property of a whole server does not belong to a package's reader.
    tests += &text("apiserver/tests/fuzz/main.rs");
    for target in &targets {
        let source = text(format!("fuzz/fuzz_targets/{target}.rs"));
        assert!(
            source.contains(&format!("::fuzzing::{target}(")),
            "{target}"
        );
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

/// A violated property is found, and the message contains the input.
#[test]
#[should_panic(expected = "versions does not hold. Test failed: a word and a dash")]
fn random_inputs_have_parts_of_several_entries() {
    check("versions", |input| {
        let has_word = input.windows(3).any(|part| part == b"abc");
        let is_mixed = has_word && input.contains(&b'-');
        assert!(!is_mixed, "a word and a dash");
    });
}

#[test]
#[should_panic(expected = "versions does not hold for versions/")]
fn a_property_that_an_entry_violates_names_it() {
    check("versions", |input| assert!(input.is_empty()));
}

#[test]
fn inputs_are_small_and_differ() {
    let mut runner = TestRunner::deterministic();
    let strategy = inputs(corpus("json_list"));
    let mut seen = BTreeSet::new();
    for _ in 0..100 {
        let tree = strategy.new_tree(&mut runner).unwrap();
        let input = proptest::strategy::ValueTree::current(&tree).0;
        assert!(input.len() <= MAX_INPUT);
        seen.insert(input);
    }
    assert!(seen.len() > 80, "{} of 100", seen.len());
}
