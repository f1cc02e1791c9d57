use super::Spelling::{Json, Rust};
use super::*;

#[test]
fn a_path_is_fields_and_keys_in_two_spellings() {
    for (path, spelling, same) in [
        ("spec.nodeName", Json, "spec.nodeName"),
        ("spec.$ref.kebab-case", Json, "spec.$ref.kebab-case"),
        ("metadata.labels['app']", Json, "metadata.labels['app']"),
        (
            "metadata.labels[\"a.b/c\"]",
            Rust,
            "metadata.labels['a.b/c']",
        ),
        ("spec.a['b.c]']['d'].e", Json, "spec.a['b.c]']['d'].e"),
        ("spec.r#type.node_name", Rust, "spec.type.node_name"),
        ("spec._x", Rust, "spec._x"),
    ] {
        let segments = parse(path, spelling).unwrap();
        assert_eq!(Canonical(&segments).to_string(), same, "{path}");
    }
}

#[test]
fn a_segment_has_its_position() {
    let path = "spec.r#type['k'].x";
    let segments = parse(path, Rust).unwrap();
    let parts: Vec<_> = segments
        .iter()
        .map(|segment| (segment.is_key(), &path[segment.name().at.clone()]))
        .collect();
    let expected = [
        (false, "spec"),
        (false, "r#type"),
        (true, "['k']"),
        (false, "x"),
    ];
    assert_eq!(parts, expected);
}

/// `malformed.txt` has a path, its wrong part and the advice on three lines each.
#[test]
fn malformed_paths_are_rejected_with_position_and_advice() {
    let cases = include_str!("malformed.txt").trim_end().split("\n\n");
    let cases = cases.map(|case| {
        let [path, at, advice] = case.split('\n').collect::<Vec<_>>().try_into().unwrap();
        (path, at, advice)
    });
    let empty = "the path is empty: write one such as `spec.deploymentName`";
    let end = "the path ends before the name of a field: write one such as `spec.deploymentName`";
    let control = "the key between `[` and `]` contains a control character: only the \
                   function of an index, `with = function`, can read it";
    let others = [
        ("", "", empty),
        (" ", " ", empty),
        ("spec.", "", end),
        ("a['b\nc']", "['b\nc']", control),
    ];
    for (path, at, expected) in cases.chain(others) {
        let error = parse(path, Json).expect_err(path);
        assert_eq!(
            (error.to_string().as_str(), &path[error.at.clone()]),
            (expected, at)
        );
    }
    for path in ["spec.a-b", "spec.$ref", "spec a", "spec::a", "spec.0"] {
        assert!(parse(path, Rust).is_err(), "{path}");
    }
    assert!(parse("spec.r#type", Json).is_err());
}

fn resolved(path: &str, spelling: Spelling) -> String {
    let segments = parse(path, spelling).unwrap();
    match metadata(&segments, spelling) {
        Ok(found) => format!("{} {}", Canonical(&found.json), found.is_number),
        Err(error) => format!("{}: {error}", &path[error.at.clone()]),
    }
}

/// `metadata.txt` has a path with its spelling, and the result.
#[test]
fn the_metadata_is_known_in_both_spellings() {
    for case in include_str!("metadata.txt").split("\n\n") {
        let (path, expected) = case.trim_end().split_once('\n').unwrap();
        let (spelling, path) = path.split_once(": ").unwrap();
        let spelling = if spelling == "Json" { Json } else { Rust };
        assert_eq!(resolved(path, spelling), expected);
    }
}
