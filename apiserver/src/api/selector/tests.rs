use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::Selector;
use crate::api::query::Query;
use crate::store::Stored;

/// Checks known FNV-1a hashes of 64 bits: a hash belongs to the range that starts with it, and not
/// to the range that ends with it.
#[test]
fn shards_are_ranges_of_a_hash() {
    let object = |namespace: &str| Stored::new(namespace, "a", 1, serde_json::Map::default());
    let matches = |namespace: &str, start: &str, end: &str| {
        let text = format!("shardRange(object.metadata.namespace, '{start}', '{end}')");
        let query: String = utf8_percent_encode(&text, NON_ALPHANUMERIC).to_string();
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
