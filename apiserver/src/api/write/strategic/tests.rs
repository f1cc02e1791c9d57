//! `cases.yaml` has a document, its patch and the result for each case.

use serde::Deserialize;
use serde_json::{Value, json};

use super::apply;
use crate::registry::models::built_in;

#[derive(Deserialize)]
struct Case {
    name: String,
    schema: String,
    document: Value,
    patch: Value,
    expected: Value,
}

#[test]
fn each_patch_gives_the_expected_document() {
    let cases = informer_manifest::parse::<Case>(include_str!("cases.yaml")).unwrap();
    assert_eq!(cases.len(), 13);
    for mut case in cases {
        let schema = Some(built_in(&case.schema).unwrap());
        apply(&mut case.document, &case.patch, schema).unwrap();
        assert_eq!(case.document, case.expected, "{}", case.name);
    }
}

#[test]
fn an_unknown_directive_is_rejected() {
    let error = apply(
        &mut json!({ "a": {} }),
        &json!({ "a": { "$patch": "twist" } }),
        None,
    )
    .unwrap_err();
    assert_eq!(error.code(), 400);
    let error = apply(&mut json!({}), &json!([]), None).unwrap_err();
    assert_eq!(error.code(), 400);
}
