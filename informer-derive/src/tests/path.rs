use proc_macro2::Span;

use crate::check::path::{Canonical, Segment, parse_rust};

fn parse(text: &str) -> Result<Vec<Segment>, String> {
    crate::check::path::parse(text, Span::call_site())
}

fn canonical(text: &str) -> String {
    match parse(text) {
        Ok(segments) => Canonical(&segments).to_string(),
        Err(message) => format!("error: {message}"),
    }
}

#[test]
fn two_spellings_of_a_path_are_one() {
    for (text, same) in [
        ("spec.deploymentName", "spec.deploymentName"),
        (r#"metadata.labels["app"]"#, "metadata.labels['app']"),
        (
            "metadata.labels['app.kubernetes.io/name']",
            "metadata.labels['app.kubernetes.io/name']",
        ),
        ("spec.a['b.c]']['d'].e", "spec.a['b.c]']['d'].e"),
        ("spec.$ref.kebab-case", "spec.$ref.kebab-case"),
    ] {
        assert_eq!(canonical(text), same);
    }
    let segments = parse("a['b']");
    let found = segments.as_deref();
    assert!(
        matches!(found, Ok([Segment::Field(a), Segment::Key(b)]) if &**a == "a" && &**b == "b"),
        "{found:?}"
    );
}

#[test]
fn without_quotes_a_path_is_spelt_as_in_rust() {
    for (text, same) in [
        ("spec.deployment_name", "spec.deployment_name"),
        ("spec.r#type", "spec.type"),
        (r#"metadata.labels["app"]"#, "metadata.labels['app']"),
        (r#"spec.a["b.c]"]["d"].e"#, "spec.a['b.c]']['d'].e"),
    ] {
        let path = parse_rust(text.parse().unwrap()).unwrap();
        assert_eq!(Canonical(&path).to_string(), same);
    }
    for text in [
        "spec.", "spec..a", "spec a", "spec.0", "spec[a]", "spec[]", "spec::a", "['a']",
    ] {
        let error = parse_rust(text.parse().unwrap()).expect_err(text);
        let advises = ["write", "is a string"]
            .iter()
            .any(|word| error.to_string().contains(word));
        assert!(advises, "{text}: {error}");
    }
}

#[test]
fn whatever_is_no_path_is_an_error_with_advice() {
    for text in [
        "", " ", ".", "..", "a.", ".a", "$.a", "a..b", "a b", "1a", "[", "a[", "a[]", "a['",
        "a[''", "a['']", "a['b'", "a['b']c", "a[*]", "a[0]", "a[b]", "ä", "a['ä'", "a[ä]",
    ] {
        let error = parse(text).expect_err(text);
        let advises = ["write", "is missing", "is empty"]
            .iter()
            .any(|word| error.contains(word));
        assert!(advises, "{text}: {error}");
    }
}
