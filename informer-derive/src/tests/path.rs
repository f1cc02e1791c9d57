use crate::check::path::{Canonical, Segment, parse};

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
    assert_eq!(
        parse("a['b']"),
        Ok(vec![
            Segment::Field("a".to_owned()),
            Segment::Key("b".to_owned())
        ])
    );
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
