use serde_json::json;

use super::Selector;
use crate::api::query::Query;
use crate::store::Stored;

fn pod() -> Stored {
    let document = json!({
        "metadata": { "name": "a", "namespace": "x", "labels": { "app": "web", "n": "5" } },
        "spec": { "nodeName": "n1", "hostNetwork": true, "q": "a,b=c" },
    });
    let serde_json::Value::Object(members) = document else {
        unreachable!()
    };
    Stored::new("x", "a", 1, members)
}

fn labels(text: &str) -> bool {
    Selector::parse(text, "").unwrap().matches(&pod())
}

fn fields(text: &str) -> bool {
    Selector::parse("", text).unwrap().matches(&pod())
}

#[test]
fn s01_label_selectors_follow_the_grammar_of_the_server() {
    for yes in [
        "",
        "app",
        "app=web",
        "app==web",
        " app = web , n ",
        "app in (db, web)",
        "app notin (db,cache)",
        "other notin (a)",
        "app!=db",
        "other!=x",
        "!other",
        "n>4",
        "n<6",
        "app in (web),!other,n>4",
    ] {
        assert!(labels(yes), "{yes:?} should match");
    }
    for no in [
        "other",
        "app=db",
        "app!=web",
        "!app",
        "app in (db)",
        "app notin (web)",
        "n>5",
        "n<5",
        "app>1",
        "app=",
    ] {
        assert!(!labels(no), "{no:?} should not match");
    }
}

#[test]
fn malformed_label_selectors_are_bad_requests() {
    for bad in [
        "a b",
        "=x",
        "app in web",
        "app within (web)",
        "n>x",
        ",",
        "!",
    ] {
        let error = Selector::parse(bad, "").unwrap_err();
        assert_eq!(error.code(), 400, "{bad:?}");
    }
}

#[test]
fn field_selectors_take_any_path() {
    for yes in [
        "",
        "metadata.name=a",
        "metadata.namespace==x",
        "spec.nodeName!=n2",
        "spec.hostNetwork=true",
        "spec.absent=",
        "status.phase!=Running",
        r"spec.q=a\,b\=c",
        "metadata.name=a,spec.nodeName=n1",
    ] {
        assert!(fields(yes), "{yes:?} should match");
    }
    for no in [
        "metadata.name=b",
        "spec.nodeName!=n1",
        "metadata.name=a,spec.nodeName=n2",
    ] {
        assert!(!fields(no), "{no:?} should not match");
    }
    assert_eq!(Selector::parse("", "spec").unwrap_err().code(), 400);
    assert_eq!(Selector::parse("", r"a=\x").unwrap_err().code(), 400);
}

/// Checks known FNV-1a hashes of 64 bits: a hash belongs to the range that starts with it, and not
/// to the range that ends with it.
#[test]
fn shards_are_ranges_of_a_hash() {
    let object = |namespace: &str| Stored::new(namespace, "a", 1, serde_json::Map::default());
    let matches = |namespace: &str, start: &str, end: &str| {
        let text = format!("shardRange(object.metadata.namespace, '{start}', '{end}')");
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let query = Query::parse(&format!("shardSelector={query}"));
        let selector = Selector::default().with_shard(&query, true).unwrap();
        assert!(!selector.is_everything());
        selector.matches(&object(namespace))
    };
    for (namespace, hash, next) in [
        ("", "0xcbf29ce484222325", "0xcbf29ce484222326"),
        ("a", "0xaf63dc4c8601ec8c", "0xaf63dc4c8601ec8d"),
        ("foobar", "0x85944171f73967e8", "0x85944171f73967e9"),
    ] {
        assert!(matches(namespace, hash, next), "{namespace:?}");
        assert!(matches(namespace, hash, "0x10000000000000000"));
        assert!(!matches(namespace, "0x0000000000000000", hash));
        assert!(!matches(namespace, next, "0x10000000000000000"));
    }
}
