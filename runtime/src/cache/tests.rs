//! Indices of a cache beside those of other users.

use k8s_openapi::api::core::v1::ConfigMap;

use super::{Cache, CacheError, CacheListOptions};
use crate::base::chain::Chain;
use crate::factory::tests::support::Server;

/// An index of the same name and type may have another function.
#[tokio::test(start_paused = true)]
async fn an_index_that_another_user_has_added_is_not_taken_for_a_declared_one() {
    let factory = Server::default().factory().build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    let theirs = |_: &ConfigMap| ["theirs".to_owned()];
    maps.add_index("colour", theirs).unwrap();
    let cache = Cache::builder(factory.clone()).build().unwrap();
    let reader = cache.of::<ConfigMap>();
    let ours = |_: &ConfigMap| ["ours".to_owned()];
    reader.add_index("colour", ours).unwrap();
    factory.start().unwrap();
    let all = CacheListOptions::new();
    let error = reader
        .list_by_index("colour", "ours", &all)
        .await
        .unwrap_err();
    assert!(matches!(error, CacheError::AddIndex { .. }), "{error:?}");
    assert_eq!(
        Chain(&error).to_string(),
        "an index that the cache declares for `configmaps.v1` conflicts with one of its informer: \
         an index named `colour` exists already"
    );

    // Concurrent first reads of two readers add an index once.
    let factory = Server::default().factory().build().unwrap();
    let cache = Cache::builder(factory.clone()).build().unwrap();
    factory.start().unwrap();
    let reader = cache.of::<ConfigMap>();
    reader.add_index("colour", ours).unwrap();
    let (first, second) = tokio::join!(
        reader.list_by_index("colour", "ours", &all),
        reader.list_by_index("colour", "ours", &all),
    );
    assert_eq!((first.unwrap().len(), second.unwrap().len()), (1, 1));
    // Neither does another cache take it.
    let other = Cache::builder(factory.clone())
        .build()
        .unwrap()
        .of::<ConfigMap>();
    other.informer().unwrap();
    assert!(other.add_index("colour", theirs).is_err());
    factory.shutdown().await;
}
