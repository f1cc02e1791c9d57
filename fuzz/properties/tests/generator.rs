//! The properties of the generator hold for the committed corpora, and for random inputs that
//! resemble their entries.

use std::fs;

use informer_fuzz_properties::hostile::{check_markdown, definition, documentation};
use informer_fuzz_properties::{
    gen_declaration, gen_hostile, gen_index, gen_manifest, gen_source, in_file,
};
use informer_fuzz_replay::{check, corpus};
use informer_gen::{Config, Types};

#[test]
fn manifests_are_read_or_refused() {
    check("gen_manifest", gen_manifest);
}

/// Property names, descriptions, enum values, short names and all other texts of a definition.
#[test]
fn texts_of_a_manifest_never_become_code() {
    check("gen_hostile", gen_hostile);
}

#[test]
fn source_is_read_or_refused() {
    check("gen_source", gen_source);
}

#[test]
fn declarations_are_read_or_refused() {
    check("gen_declaration", gen_declaration);
}

#[test]
fn paths_of_indices_are_read_or_refused() {
    check("gen_index", gen_index);
}

/// The first entry of each corpus is valid, so that mutations have valid parts to break.
#[test]
fn the_first_entries_of_the_corpora_are_valid() {
    let good = |entry: &str, config: &dyn Fn(&str) -> Config| {
        let (target, _) = entry.split_once('/').unwrap();
        let entries = corpus(target).into_iter();
        let found = entries
            .into_iter()
            .find(|found| found.name == entry)
            .unwrap();
        in_file(&found.bytes, |path| {
            let error = config(path).render().err();
            assert_eq!(error.map(|error| error.to_string()), None, "{entry}");
        });
    };
    let manifests = |path: &str| Config::new().crd_manifests(path, Types::In("crate::api"));
    good("gen_manifest/foo.yaml", &manifests);
    good("gen_manifest/anchors.yaml", &manifests);
    let source = |path: &str| Config::new().rust_source(path, "crate::api");
    good("gen_source/foo.rs", &source);
    good("gen_source/attributes.rs", &source);
    good("gen_declaration/all.txt", &|path| {
        let declaration = fs::read_to_string(path).unwrap();
        Config::new()
            .built_in("v1", "Pod")
            .kind("v1/Pod", &declaration)
    });
}

/// Renders a definition with these names and this schema, in a mode.
fn rendered(names: &str, schema: &str, mode: &str) -> Result<String, String> {
    let text = format!(
        r#"{{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {{"name": "foos.example.com"}}, "spec": {{"group": "example.com", "scope": "Cluster",
        "names": {{"kind": "Foo", "plural": "foos"{names}}}, "versions": [{{"name": "v1", "served": true,
        "schema": {{"openAPIV3Schema": {{"type": "object", {schema}}}}}}}]}}}}"#
    );
    let rendered = Config::new()
        .crd_text("crd.json", &text, mode.into())
        .render();
    let rendered = rendered.map_err(|error| error.to_string())?;
    Ok(rendered.files.into_values().collect())
}

#[test]
fn a_line_break_in_the_name_of_a_member_begins_no_code() {
    let schema = r#""properties": {"spec": {"type": "object", "properties": {
        "x`\n    pub a: String,\n}\n\npub fn pwned() {}\n\n/// y\npub struct Y {\n    //": {"type": "string"},
        "\u202e": {"type": "string", "enum": ["\u202e\n}\npub fn pwned() {}"]}}}}"#;
    let text = rendered("", schema, "types").unwrap();
    assert!(!text.contains("\npub fn pwned"), "{text}");
    assert!(!text.contains('\u{202e}'), "{text}");
    assert!(syn::parse_file(&text).is_ok(), "{text}");
}

#[test]
fn short_names_that_the_api_server_refuses_are_refused_in_every_mode() {
    let names = r#", "shortNames": ["foo", "f`).\n pub FooInformer, .. { }\n}\n\npub fn pwned() -> u8 { 7 }\n// (`"]"#;
    for mode in ["types", "dynamic", "crate::api"] {
        let error = rendered(names, r#""properties": {}"#, mode).unwrap_err();
        let beginning = "crd.json:3:74: `spec.names.shortNames[]` must be lower-case letters";
        assert!(error.starts_with(beginning), "{error}");
    }
}

/// 36 words put the fence at the beginning of a line.
#[test]
fn a_description_is_no_doctest_wherever_its_lines_break() {
    let padding = "w".repeat(40);
    for fence in [
        "````rust",
        "~~~rust",
        "- ```",
        "1. > ````",
        "`a ~~~",
        "`a - ~~~ b`",
    ] {
        for words in 20..40 {
            let words = "word ".repeat(words);
            let description = format!(
                r#""description": "{words}{fence}\nstd::process::abort(); // {padding} {padding} ````""#
            );
            for mode in ["types", "dynamic", "crate::api"] {
                let schema = format!(
                    r#"{description}, "properties": {{"spec": {{"type": "object", {description}, "properties": {{"a": {{"type": "string", {description}}}}}}}}}"#
                );
                let text = rendered("", &schema, mode).unwrap();
                for documentation in documentation(&text) {
                    check_markdown(&documentation);
                }
            }
        }
    }
}

#[test]
fn a_member_with_a_letter_that_no_identifier_has_gets_a_type() {
    let schema = r#""properties": {"spec": {"type": "object", "properties": {
        "a²": {"type": "object", "properties": {"b": {"type": "string"}}}, "²": {"type": "string", "enum": ["²", "名"]}}}}"#;
    let text = rendered("", schema, "types").unwrap();
    assert!(text.contains(r#"#[serde(rename = "a²")]"#), "{text}");
}

/// Most definitions are accepted, so that the property says something about them.
#[test]
fn most_hostile_definitions_are_accepted() {
    let inputs = (0_u32..200).map(|seed| {
        let bytes = (0..400_u32).map(|at| (seed * 977 + at * at * 131 + at * 7919 + 3) >> 5);
        bytes.map(|byte| byte.to_le_bytes()[0]).collect::<Vec<u8>>()
    });
    let accepted = inputs.filter(|input| {
        let text = definition(input).to_string();
        let config = Config::new().crd_text("crd.json", &text, Types::Generated);
        config.render().is_ok()
    });
    let accepted = accepted.count();
    assert!(accepted > 100, "{accepted} of 200");
}
