use http::{HeaderMap, header};

use super::*;

const METADATA: &str = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

fn accept(value: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT, value.parse().unwrap())])
}

/// Checks the form of a built-in and of a custom kind.
fn check(value: &str, built_in: &str, custom: &str) {
    let name = |answer| match answer {
        Ok((form, encoding)) => format!("{form:?} {encoding:?}"),
        Err(error) => ApiError::code(&error).to_string(),
    };
    let headers = accept(value);
    assert_eq!(name(form(&headers, true)), built_in, "{value}");
    assert_eq!(name(form(&headers, false)), custom, "custom, {value}");
}

#[test]
fn the_first_served_alternative_wins() {
    assert_eq!(
        form(&HeaderMap::new(), true),
        Ok((Form::Full, Encoding::Json))
    );
    check("*/*", "Full Json", "Full Json");
    check("application/*", "Full Json", "Full Json");
    check(
        &format!("application/json;{METADATA}"),
        "MetadataList Json",
        "MetadataList Json",
    );
    let tables = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    check(tables, "Table Json", "Table Json");
    let both = format!("{PROTOBUF}, application/json");
    check(&both, "Full Protobuf", "Full Json");
    let both = format!("application/json, {PROTOBUF}");
    check(&both, "Full Json", "Full Json");
    check(PROTOBUF, "Full Protobuf", "406");
    check(&format!("{PROTOBUF};stream=watch"), "Full Protobuf", "406");
    check(&format!("{PROTOBUF};stream=film"), "406", "406");
    check("text/html", "406", "406");
    check("application/json;g=meta.k8s.io", "406", "406");
}

#[test]
fn metadata_is_served_in_protobuf_and_tables_are_not() {
    let metadata = format!("{PROTOBUF};{METADATA}");
    check(&metadata, "MetadataList Protobuf", "MetadataList Protobuf");
    let tables = format!("{PROTOBUF};as=Table;g=meta.k8s.io;v=v1");
    check(&tables, "406", "406");
}

#[test]
fn alternatives_are_ordered_by_quality_with_wildcards_last() {
    let json_first = format!("{PROTOBUF};q=0.5, application/json;q=0.9");
    check(&json_first, "Full Json", "Full Json");
    check(
        &format!("application/*, {PROTOBUF};q=0.1"),
        "Full Protobuf",
        "Full Json",
    );
    let reluctant = format!("application/json;q=0, {PROTOBUF};q=0.1");
    check(&reluctant, "Full Protobuf", "Full Json");
    check(
        &format!("*/*, {PROTOBUF};q=0.1"),
        "Full Protobuf",
        "Full Json",
    );
}

#[test]
fn a_status_is_in_protobuf_if_an_alternative_without_a_form_is() {
    let of = |value: &str| encoding(&accept(value));
    assert_eq!(of(PROTOBUF), Encoding::Protobuf);
    assert_eq!(of(&format!("{PROTOBUF};stream=watch")), Encoding::Protobuf);
    assert_eq!(of(&format!("{PROTOBUF};{METADATA}")), Encoding::Json);
    assert_eq!(of(&format!("application/json, {PROTOBUF}")), Encoding::Json);
    assert_eq!(of("text/html"), Encoding::Json);
    assert_eq!(encoding(&HeaderMap::new()), Encoding::Json);
}

#[test]
fn a_client_that_accepts_no_served_form_gets_an_error() {
    let error = form(&accept("text/html"), true).unwrap_err();
    assert_eq!((error.code(), error.reason()), (406, "NotAcceptable"));
}

#[test]
fn discovery_is_aggregated_only_on_request() {
    let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert!(aggregated_discovery(&accept(v2)));
    assert!(!aggregated_discovery(&accept("application/json")));
    assert!(!aggregated_discovery(&HeaderMap::new()));
}
