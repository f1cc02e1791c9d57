use tokio::time::advance;

use super::super::ExpiringStore;
use super::*;

/// Z-02.
#[tokio::test(start_paused = true)]
async fn z02_a_value_expires_when_it_is_older_than_the_time_to_live() {
    let store = ExpiringStore::new(secs(10));
    store.add(key("a"), 1);
    advance(secs(4)).await;
    store.add(key("b"), 2);
    advance(secs(6)).await;
    assert_eq!(
        store.get(&key("a")),
        Some(1),
        "an age equal to the time to live"
    );
    advance(Duration::from_millis(1)).await;
    assert_eq!(store.get(&key("a")), None);
    assert_eq!((store.list(), store.keys()), (vec![2], vec![key("b")]));
    assert_eq!(
        store.delete(&key("a")),
        None,
        "an expired value is not returned"
    );
    advance(secs(10)).await;
    assert_eq!(store.len(), 0);
    assert!(store.is_empty());
}

/// Z-02.
#[tokio::test(start_paused = true)]
async fn z02_with_a_time_of_zero_nothing_expires() {
    let store = ExpiringStore::new(Duration::ZERO);
    store.add(key("a"), 1);
    advance(secs(86_400 * 365)).await;
    assert_eq!(store.get(&key("a")), Some(1));
}

/// Z-02.
#[tokio::test(start_paused = true)]
async fn z02_adding_again_refreshes_and_reading_does_not() {
    let store = ExpiringStore::new(secs(10));
    store.add("a", 1);
    store.add("b", 1);
    advance(secs(8)).await;
    assert_eq!(store.add("a", 2), Some(1));
    assert_eq!(store.get(&"b"), Some(1));
    advance(secs(8)).await;
    assert_eq!(store.get(&"a"), Some(2));
    assert_eq!(store.get(&"b"), None);
    assert_eq!(store.delete(&"a"), Some(2));
    assert_eq!(store.get(&"a"), None);
}

/// Z-02.
#[tokio::test(start_paused = true)]
async fn z02_replacing_the_contents_refreshes_them() {
    let store = ExpiringStore::new(secs(10));
    store.add("a", 1);
    store.add("b", 1);
    advance(secs(8)).await;
    store.replace([("b", 2), ("c", 2), ("c", 3)]);
    advance(secs(8)).await;
    assert_eq!((store.keys(), store.list()), (vec!["b", "c"], vec![2, 3]));
    advance(secs(3)).await;
    assert!(store.is_empty());
}

/// Z-02: expired values are dropped even if their keys are not used again.
#[tokio::test(start_paused = true)]
async fn z02_expired_values_are_dropped_by_whatever_call_comes_next() {
    let store = ExpiringStore::new(secs(10));
    let value = Arc::new(());
    store.add("a", Arc::clone(&value));
    advance(secs(11)).await;
    assert_eq!(Arc::strong_count(&value), 2);
    store.add("b", Arc::new(()));
    assert_eq!(Arc::strong_count(&value), 1);
}
