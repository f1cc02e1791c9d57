//! Reads each text like kubectl: the program in `kubectl/` reads the texts with the packages of
//! Kubernetes. Without Go the tests are skipped or fail, as `go` decides.
#![expect(clippy::expect_used, reason = "a failing helper fails the test")]

#[path = "../../../tests/support/go.rs"]
mod go;
mod texts;

use std::path::Path;

use serde_json::Value;

use crate::texts::Texts;

/// Number of random texts for each case of `PROPTEST_CASES`.
const RANDOM: u64 = 100;

/// Result of kubectl for a text.
#[derive(serde::Deserialize)]
struct Truth {
    documents: Option<Vec<Value>>,
    #[serde(default)]
    error: String,
}

/// Returns the results of kubectl.
fn kubectl(texts: &[String]) -> Option<Vec<Truth>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kubectl");
    let input = serde_json::to_vec(texts).expect("texts are JSON");
    let output = go::go(&folder, &["run", "."], input)?;
    let lines = output.lines().map(serde_json::from_str);
    Some(lines.collect::<Result<_, _>>().expect("each line is JSON"))
}

/// Returns the difference between the two readers for a text.
fn difference(text: &str, truth: &Truth) -> Option<String> {
    let found = informer_manifest::parse::<Value>(text);
    match (&truth.documents, found) {
        (Some(expected), Ok(found)) => (!are_equal(expected, &found))
            .then(|| format!("{found:?}\n    instead of {expected:?}")),
        (None, Err(_)) => None,
        (Some(expected), Err(error)) => Some(format!("{error}\n    instead of {expected:?}")),
        (None, Ok(found)) => Some(format!("{found:?}\n    instead of {}", truth.error)),
    }
}

/// Compares numbers by their values: Go writes `1e21` as `1e+21`.
fn are_equal(expected: &[Value], found: &[Value]) -> bool {
    fn equal(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::Array(one), Value::Array(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| equal(one, other))
            }
            (Value::Object(one), Value::Object(other)) => {
                one.len() == other.len()
                    && one
                        .iter()
                        .all(|(name, one)| other.get(name).is_some_and(|other| equal(one, other)))
            }
            (Value::Number(one), Value::Number(other)) if one.is_f64() || other.is_f64() => {
                // serde_json is imprecise in the last digit.
                let distance = one.as_f64().zip(other.as_f64());
                distance.is_some_and(|(one, other)| (one - other).abs() <= one.abs() * 1e-15)
            }
            _ => one == other,
        }
    }
    expected.len() == found.len()
        && expected
            .iter()
            .zip(found)
            .all(|(one, other)| equal(one, other))
}

fn compare(texts: &[String]) {
    let Some(truths) = kubectl(texts) else {
        return;
    };
    assert_eq!(truths.len(), texts.len());
    let pairs = texts.iter().zip(&truths);
    let differences = pairs.filter_map(|(text, truth)| {
        let difference = difference(text, truth)?;
        Some(format!("{text:?}:\n    {difference}\n"))
    });
    let differences: Vec<String> = differences.collect();
    let read = truths
        .iter()
        .filter(|truth| truth.documents.is_some())
        .count();
    assert!(
        read * 4 > texts.len(),
        "kubectl reads {read} of {}",
        texts.len()
    );
    assert!(
        differences.is_empty(),
        "{} of {} differ:\n{}",
        differences.len(),
        texts.len(),
        differences.concat()
    );
}

/// J-01. `cases.txt` has the texts, separated by lines of `=====`.
#[test]
fn texts_are_read_as_kubectl_reads_them() {
    let cases = include_str!("cases.txt").split("\n=====\n");
    compare(&cases.map(str::to_owned).collect::<Vec<_>>());
}

/// Texts that the parser of this crate reads by the rules of YAML 1.2, and kubectl does not.
const DIFFERENCES: &[(&str, &str)] = &[
    (
        "a: \"\\/\"\n",
        "kubectl rejects the escape outside of JSON files",
    ),
    ("[-, a]\n", "a single dash is a text in libyaml"),
    (
        "\ta: 1\n",
        "kubectl rejects a tab at the beginning of a line",
    ),
    (
        "%YAML 1.1\n---\na: 1\n",
        "kubectl splits the file before it reads a directive",
    ),
    (
        "--- {a: 1}\n",
        "kubectl rejects a document beside its separator",
    ),
    (
        "---a: 1\n",
        "kubectl takes any three dashes for a separator",
    ),
    (
        "a: 1\n...\nb: 2\n",
        "kubectl ignores all that follows the end of a document",
    ),
    (
        "a: \u{feff}x\n",
        "a byte order mark is a character in libyaml",
    ),
    (
        "a: \"x\u{85}y\"\n",
        "the character is a line break in YAML 1.1",
    ),
    (
        "a: x\u{2028}y\n",
        "the character is a line break in YAML 1.1",
    ),
    (
        "\u{feff}a: \u{a0}\n---\n\u{feff}b: 1\n",
        "kubectl removes no byte order mark from later documents",
    ),
    ("a: !!timestamp x\n", "kubectl checks a time with a tag"),
    (
        "a: .nan\na: 1\n",
        "kubectl rejects only values that reach the JSON",
    ),
];

#[test]
fn known_differences_are_still_there() {
    let texts: Vec<String> = DIFFERENCES
        .iter()
        .map(|(text, _)| (*text).to_owned())
        .collect();
    let Some(truths) = kubectl(&texts) else {
        return;
    };
    for ((text, why), truth) in DIFFERENCES.iter().zip(&truths) {
        assert!(
            difference(text, truth).is_some(),
            "{text:?} is equal now: {why}"
        );
    }
}

/// J-01.
#[test]
fn random_texts_are_read_as_kubectl_reads_them() {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    let texts = (0..RANDOM * cases.unwrap_or(32_u64)).map(|seed| Texts::new(seed).text());
    compare(&texts.collect::<Vec<_>>());
}
