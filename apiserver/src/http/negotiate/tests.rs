use http::{HeaderMap, header};

use super::*;

const METADATA: &str = "as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";

fn accept(value: &str) -> HeaderMap {
    HeaderMap::from_iter([(header::ACCEPT, value.parse().unwrap())])
}

/// `accepts.txt` has values of `Accept`, each with the form for a built-in and for a custom kind. The
/// first served alternative wins; alternatives are ordered by quality, with wildcards last.
#[test]
fn the_best_served_alternative_wins() {
    let name = |answer| match answer {
        Ok((form, encoding)) => format!("{form:?} {encoding:?}"),
        Err(error) => ApiError::code(&error).to_string(),
    };
    for line in include_str!("accepts.txt").lines() {
        let [value, built_in, custom] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let value = value.replace("PROTOBUF", PROTOBUF);
        let value = value.replace("META", METADATA);
        let headers = accept(&value.replace("TABLE", "as=Table;v=v1;g=meta.k8s.io"));
        assert_eq!(name(form(&headers, true)), built_in, "{line}");
        assert_eq!(name(form(&headers, false)), custom, "{line}");
    }
    let nothing = form(&HeaderMap::new(), true);
    assert_eq!(nothing, Ok((AnswerForm::Full, Encoding::Json)));
    let error = form(&accept("text/html"), true).unwrap_err();
    assert_eq!((error.code(), error.reason()), (406, "NotAcceptable"));
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
fn discovery_is_aggregated_only_on_request() {
    let v2 = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    assert!(aggregated_discovery(&accept(v2)));
    assert!(!aggregated_discovery(&accept("application/json")));
    assert!(!aggregated_discovery(&HeaderMap::new()));
}
