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

#[test]
fn malformed_paths_are_rejected_with_position_and_advice() {
    for (path, at, expected) in [
        (
            "",
            "",
            "the path is empty: write one such as `spec.deploymentName`",
        ),
        (
            " ",
            " ",
            "the path is empty: write one such as `spec.deploymentName`",
        ),
        (
            "$.spec.a",
            "$.",
            "a path starts at the fields of the object: write `spec.a`",
        ),
        (
            "spec.",
            "",
            "the path ends before the name of a field: write one such as `spec.deploymentName`",
        ),
        (
            "spec..x",
            ".",
            "a segment of `spec..x` is empty: write one name between two dots",
        ),
        (
            "['a']",
            "[",
            "a segment of `['a']` is empty: write one name between two dots",
        ),
        (
            "a.{b}",
            "{b}",
            "`{b}` is not the name of a field: write a path such as `spec.deploymentName` or `metadata.labels['app']`",
        ),
        (
            "spec._",
            "_",
            "`_` is not the name of a field: write a path such as `spec.deploymentName` or `metadata.labels['app']`",
        ),
        (
            "a.b[*].c",
            "[*]",
            "paths traverse lists implicitly: write `a.b.c`",
        ),
        (
            "a.b[0].c",
            "[0]",
            "a path leads to all elements of a list: omit the position; only the function of an index, `with = function`, can choose one",
        ),
        (
            "a[app]",
            "[app]",
            "the key of a map must be quoted: write `['app']`",
        ),
        ("a[]", "[]", "a key is missing after `[`: write `['key']`"),
        ("a[", "[", "a key is missing after `[`: write `['key']`"),
        (
            "a['']",
            "['']",
            "the key between `[` and `]` is empty: write `['key']`",
        ),
        ("a['b'", "['b'", "`]` is missing: write `['b']`"),
        (
            "a['b",
            "['b",
            "the quote of `['b` is not closed: write `['key']`",
        ),
        (
            "a['b']c",
            "c",
            "`c` cannot follow `]`: write `.` between the two",
        ),
        (
            "a['b\nc']",
            "['b\nc']",
            "the key between `[` and `]` contains a control character: write `['key']`",
        ),
        (
            "ä",
            "ä",
            "`ä` is not the name of a field: write a path such as `spec.deploymentName` or `metadata.labels['app']`",
        ),
    ] {
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

#[test]
fn the_metadata_is_known_in_both_spellings() {
    for (path, spelling, expected) in [
        (
            "metadata.labels['app']",
            Json,
            "metadata.labels['app'] false",
        ),
        ("metadata.generation", Json, "metadata.generation true"),
        (
            "metadata.owner_references.uid",
            Rust,
            "metadata.ownerReferences.uid false",
        ),
        ("metadata.finalizers", Rust, "metadata.finalizers false"),
        (
            "metadata.owner_reference.uid",
            Rust,
            "owner_reference: `metadata` has no field `owner_reference`: did you mean `metadata.owner_references`?",
        ),
        (
            "metadata",
            Json,
            "metadata: a path leads to one field, not to all of `metadata`: write `metadata.name`",
        ),
        (
            "metadata['name']",
            Json,
            "metadata: a path leads to one field, not to all of `metadata`: write `metadata.name`",
        ),
        (
            "metadata.labels.team",
            Rust,
            "labels: a path leads to one entry of the labels: write `metadata.labels[\"team\"]`",
        ),
        (
            "metadata.annotations",
            Json,
            "annotations: a path leads to one entry of the annotations: write `metadata.annotations['app']`",
        ),
        (
            "metadata.name.first",
            Json,
            "first: `metadata.name` has no fields: the path ends there",
        ),
        (
            "metadata.finalizers['a']",
            Json,
            "['a']: `metadata.finalizers` has no fields: the path ends there",
        ),
        (
            "metadata.ownerReferences.uid.x.y",
            Json,
            "x.y: `metadata.ownerReferences.uid` has no fields: the path ends there",
        ),
    ] {
        assert_eq!(resolved(path, spelling), expected);
    }
}
