use serde_json::json;

use super::*;
use crate::wire::{ApiStatus, RawEvent};

#[test]
fn w03_the_header_is_read_without_decoding() {
    let raw = RawObject::json(
        r#" { "spec" : [{"metadata":{"name":"no"}}], "metadata" : { "labels" : {"name":"no"},
            "uid":"0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9" , "name" : "we\u0062" , "namespace":"a",
            "resourceVersion":"7" } , "status": this is never read"#,
    )
    .unwrap();
    assert_eq!(raw.key(), &ObjectKey::namespaced("a", "web"));
    assert_eq!(
        raw.uid(),
        Some(&Uid::new("0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"))
    );
    assert_eq!(raw.resource_version(), &ResourceVersion::new("7"));
}

#[test]
fn w03_no_namespace_means_cluster_scope() {
    for metadata in [
        json!({"name": "n"}),
        json!({"name": "n", "namespace": ""}),
        json!({"name": "n", "namespace": null, "uid": null, "resourceVersion": null}),
    ] {
        let raw = RawObject::from_value(&json!({"metadata": metadata})).unwrap();
        assert_eq!(raw.key(), &ObjectKey::cluster("n"));
        assert_eq!(raw.uid(), None);
        assert!(raw.resource_version().is_unset());
    }
}

#[test]
fn w15_an_object_without_a_readable_header_is_rejected_without_a_key() {
    let texts = [
        "",
        "null",
        "[]",
        "7",
        "{}",
        "{",
        r#"{"metadata":null}"#,
        r#"{"metadata":{}}"#,
        r#"{"metadata":{"name":""}}"#,
        r#"{"metadata":{"name":7}}"#,
        r#"{"metadata":{"name":"a","uid":[]}}"#,
        r#"{"metadata":{"name":"a" "uid":"b"}}"#,
        r#"{"metadata":{"name":"a",}}"#,
        r#"{"metadata":{"name":"\ud800"}}"#,
        r#"{"metadata":{"name":"a"#,
    ];
    for text in texts {
        let rejected = RawObject::json(text).unwrap_err();
        assert_eq!(rejected.key, None, "{text}");
    }
    assert!(RawObject::json(&b"{\"metadata\":{\"name\":\"\xff\"}}"[..]).is_err());
}

#[test]
fn w20_printing_a_raw_object_shows_no_content() {
    let raw = RawObject::from_value(&json!({"metadata": {"name": "a"}, "data": {"k": "s3cret"}}))
        .unwrap();
    assert!(!format!("{raw:?}").contains("s3cret"));
    assert!(!format!("{:?}", RawEvent::Added(raw)).contains("s3cret"));
}

#[test]
fn b08_errors_and_rejected_events_have_no_version() {
    let raw = RawObject::from_value(&json!({"metadata": {"name": "a", "resourceVersion": "5"}}));
    let version = ResourceVersion::new("5");
    assert_eq!(
        RawEvent::Deleted(raw.unwrap()).resource_version(),
        Some(&version)
    );
    let unknown = RawEvent::Unknown {
        event_type: "NEW".into(),
        resource_version: version.clone(),
    };
    assert_eq!(unknown.resource_version(), Some(&version));
    assert_eq!(
        RawEvent::Error(ApiStatus::default()).resource_version(),
        None
    );
    assert_eq!(
        RawEvent::Rejected(Rejected::without_key("x")).resource_version(),
        None
    );
}
