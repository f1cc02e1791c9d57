use super::*;

fn canonical(path: &str) -> String {
    path.parse::<FieldPath>().unwrap().to_string()
}

#[test]
fn spellings_of_a_path_are_equal_and_print_back() {
    for (path, same) in [
        ("spec.nodeName", "spec.nodeName"),
        (r#"metadata.labels["app"]"#, "metadata.labels['app']"),
        (
            "spec.containers[*].ports[*].name",
            "spec.containers.ports.name",
        ),
        ("spec.a['b.c]'][*].d", "spec.a['b.c]'].d"),
        (r#"spec.a["it's"]"#, r#"spec.a["it's"]"#),
    ] {
        assert_eq!(canonical(path), same);
        assert_eq!(path.parse::<FieldPath>(), same.parse::<FieldPath>());
        assert_eq!(canonical(same), same);
    }
    assert_eq!(
        "metadata.labels.app".parse::<FieldPath>(),
        "metadata.labels['app']".parse::<FieldPath>()
    );
}

#[test]
fn a_malformed_path_is_an_error_with_advice() {
    let malformed = "| |.|..|a.|.a|$.a|a..b|a b|1a|[|a[|a[]|a['|a[''|a['']|a['b'|a['b']c|\
                     a[*]|a.b[*][*]|a[0]|a[b]|ä|a['ä'|a[ä]|[*].a|a[*";
    for path in malformed.split('|') {
        let error = path.parse::<FieldPath>().expect_err(path).to_string();
        let advises = ["write", "is missing", "leave"]
            .iter()
            .any(|word| error.contains(word));
        assert!(advises, "{error}");
    }
}
