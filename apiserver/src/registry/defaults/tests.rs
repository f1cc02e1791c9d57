#[path = "../../../../tests/support/go.rs"]
mod go;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::{Line, TABLE, fill};

/// Returns a document of a kind such as `v1 Pod` with its defaults.
fn filled(kind: &str, mut document: Value) -> Value {
    let (api_version, kind) = kind.split_once(' ').unwrap();
    fill(api_version, kind, document.as_object_mut().unwrap());
    document
}

#[test]
fn every_line_of_the_table_is_a_rule_of_a_kind() {
    let mut kinds = 0;
    for line in include_str!("../defaults.jsonl").lines() {
        let line: Line = serde_json::from_str(line).unwrap();
        kinds += usize::from(matches!(line, Line::Kind { .. }));
        if let Line::Rule(rule) = line {
            assert!(!rule.set.0.is_empty() || rule.used.is_some(), "{rule:?}");
            let sets = usize::from(rule.to.is_some())
                + usize::from(!rule.copy.0.is_empty())
                + usize::from(rule.used.is_some());
            assert_eq!(sets, 1, "{rule:?}");
        }
    }
    assert!(kinds > 0);
    assert_eq!(TABLE.len(), kinds);
}

#[derive(Deserialize)]
struct Case {
    name: String,
    kind: String,
    before: Value,
    has: BTreeMap<String, Value>,
}

#[test]
fn each_document_gets_the_expected_values() {
    let cases = informer_manifest::parse::<Vec<Case>>(include_str!("cases.yaml")).unwrap();
    for case in cases.into_iter().flatten() {
        let after = filled(&case.kind, case.before);
        for (pointer, expected) in &case.has {
            let found = after.pointer(pointer);
            assert_eq!(found, Some(expected), "{}: {pointer}", case.name);
        }
    }
}

#[derive(Deserialize)]
struct Pair {
    kind: String,
    before: Value,
    after: Value,
}

/// Compares random objects with the results of the Kubernetes functions that the table was learned
/// from.
#[test]
fn rules_match_the_functions_of_kubernetes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("defaults");
    let arguments = ["run", ".", "objects", "1", "200"];
    let Some(output) = go::go(&folder, &arguments, Vec::new()) else {
        return;
    };
    let mut pairs = 0;
    for line in output.lines() {
        let pair: Pair = serde_json::from_str(line).unwrap();
        // The addition time of a taint is the current time, which a table cannot contain.
        let is_timed = |document: &Value| document.to_string().contains("timeAdded");
        if is_timed(&pair.after) && !is_timed(&pair.before) {
            continue;
        }
        pairs += 1;
        let before = pair.before.to_string();
        let after = filled(&pair.kind, pair.before);
        assert_eq!(after, pair.after, "{} of {before}", pair.kind);
    }
    assert!(pairs > 10_000, "{pairs}");
}
