use super::*;

fn drop(paths: &[&str]) -> DropFields {
    DropFields::new(paths).unwrap()
}

#[test]
fn equal_sets_of_fields_are_equal() {
    assert_eq!(
        drop(&["status", "spec.a[*].b", "spec.a.b.c"]),
        drop(&["spec['a'].b", "status", "status.phase"])
    );
    assert_ne!(drop(&["status"]), drop(&["spec"]));
    assert!(drop(&[]).is_empty());
    let all_but = |paths: &[&str]| DropFields::all_but(paths).unwrap();
    assert_eq!(all_but(&["spec.a", "spec.a.b"]), all_but(&["spec['a']"]));
    assert_ne!(all_but(&["status"]), drop(&["status"]));
    assert!(!all_but(&[]).is_empty());
    assert_eq!(all_but(&["b", "a.c"]).to_string(), "all but `a.c`, `b`");
}

#[test]
fn fields_that_identify_an_object_cannot_be_dropped() {
    for path in ["metadata", "metadata.name", "metadata['uid']"] {
        let error = DropFields::new([path]).unwrap_err();
        assert!(error.to_string().ends_with("or its version"), "{error}");
    }
    let error = DropFields::new(["metadata.labels[*]"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`metadata.labels[*]`: a path ends with the name of a field: write `metadata.labels`"
    );
}

#[test]
fn paths_are_parsed_with_commas_between_them() {
    let parse = |text: &str| text.parse::<DropFields>();
    assert_eq!(
        parse(r#"status, spec.containers[*].env,data['a,"b'],data["it's,"]"#),
        Ok(drop(&[
            "status",
            "spec.containers[*].env",
            r#"data['a,"b']"#,
            r#"data["it's,"]"#
        ]))
    );
    assert_eq!(parse(" "), Ok(DropFields::default()));
    for wrong in ["status,", ",", "metadata.name", "data['a,b", "status spec"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
}
