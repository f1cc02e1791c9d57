//! Waiting for versions.

use std::time::Duration;

use futures::FutureExt;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::{entry, key, store, version};
use crate::indexer::FreshnessError;

/// Returns the result of the next finished waiter. Fails if none finishes.
async fn next<T: 'static>(waiters: &mut JoinSet<T>) -> T {
    let joined = timeout(Duration::from_secs(1), waiters.join_next()).await;
    joined.expect("woken").unwrap().unwrap()
}

#[tokio::test]
async fn n01_a_version_that_the_store_has_is_there_at_once() {
    let indexer = store(&["a/x@10"]);
    for wanted in ["10", "9"] {
        let outcome = indexer.wait_for_in("", &version(wanted)).now_or_never();
        assert_eq!(
            outcome.unwrap().unwrap().resource_version(),
            &version("10"),
            "{wanted}"
        );
    }
    assert!(
        indexer
            .wait_for_in("", &version("11"))
            .now_or_never()
            .is_none()
    );
}

/// N-01: all waiters are woken, each when its own version is reached.
#[tokio::test(start_paused = true)]
async fn n01_many_wait_for_their_versions() {
    let indexer = store(&[]);
    let mut waiters = JoinSet::new();
    for wanted in ["5", "7", "7", "9"] {
        let waiting = indexer.wait_for_in("", &version(wanted));
        waiters.spawn(async move { (wanted, waiting.await.unwrap()) });
    }
    tokio::task::yield_now().await;

    indexer.add(entry("a/x@4"));
    tokio::task::yield_now().await;
    assert!(waiters.try_join_next().is_none());

    indexer.add(entry("a/x@7"));
    let mut reached = Vec::new();
    for _ in 0..3 {
        let (wanted, snapshot) = next(&mut waiters).await;
        assert_eq!(snapshot.resource_version(), &version("7"));
        reached.push(wanted);
    }
    reached.sort_unstable();
    assert_eq!(reached, ["5", "7", "7"]);

    indexer.transaction(|transaction| transaction.set_resource_version(version("12")));
    let (wanted, snapshot) = next(&mut waiters).await;
    assert_eq!((wanted, snapshot.resource_version()), ("9", &version("12")));
}

#[tokio::test(start_paused = true)]
async fn n01_waiting_ends_with_a_timeout_and_can_be_taken_up_again() {
    let indexer = store(&["a/x@1"]);
    let wanted = version("2");
    let waiting = timeout(Duration::from_secs(1), indexer.wait_for_in("", &wanted));
    assert!(waiting.await.is_err());
    indexer.add(entry("a/x@2"));
    assert!(
        indexer
            .wait_for_in("", &wanted)
            .now_or_never()
            .unwrap()
            .is_ok()
    );
}

/// N-01, B-12.
#[tokio::test]
async fn n01_versions_that_cannot_be_compared_are_errors() {
    let indexer = store(&[]);
    for wanted in ["", "0", "abc", "007"] {
        let outcome = indexer.wait_for_in("", &version(wanted)).now_or_never();
        let error = outcome.expect("at once").unwrap_err();
        let is_wanted = |error: &FreshnessError| matches!(error, FreshnessError::Incomparable { wanted: known, .. } if *known == version(wanted));
        assert!(is_wanted(&error), "{error}");
    }

    let waiting = indexer.wait_for_in("", &version("5"));
    indexer.add(entry("a/x@opaque"));
    let error = waiting.await.unwrap_err();
    assert_eq!(
        error,
        FreshnessError::Incomparable {
            wanted: version("5"),
            stored: version("opaque")
        }
    );
    assert_eq!(
        error.to_string(),
        "resourceVersion `5` cannot be compared with the store's, `opaque`"
    );
    assert!(
        indexer.wait_for_in("", &version("opaque")).await.is_ok(),
        "equal"
    );
}

/// N-02: any condition can be awaited, such as the absence of an object.
#[tokio::test(start_paused = true)]
async fn n02_a_delete_can_be_waited_for() {
    let indexer = store(&["a/x@1", "a/y@1"]);
    let mut waiters = JoinSet::new();
    for name in ["a/x", "a/y"] {
        let key = key(name);
        waiters.spawn(indexer.wait_until(move |snapshot| snapshot.get(&key).is_none()));
    }
    tokio::task::yield_now().await;
    indexer.delete(&key("a/y"));
    let snapshot = next(&mut waiters).await;
    assert!(snapshot.get(&key("a/y")).is_none() && snapshot.get(&key("a/x")).is_some());
    assert!(waiters.try_join_next().is_none());
    indexer.delete(&key("a/x"));
    assert!(next(&mut waiters).await.is_empty());
}
