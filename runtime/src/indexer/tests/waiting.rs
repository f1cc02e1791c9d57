//! Waiting for versions.

use futures::FutureExt as _;

use super::{entry, store, version};
use crate::indexer::FreshnessError;

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
