//! Use of a budget by informers that evict nothing.

use k8s_openapi::api::core::v1::{ConfigMap, Node};
use tokio::time::sleep;

use crate::factory::Budget;
use crate::factory::tests::support::{Answer, SECOND, Server};
use crate::shared_informer::{InformerConfig, InformerOptions};
use crate::status::{InformerState, ReflectorError};

/// The informer that holds most is degraded by name, the others are not, and nothing stops.
#[tokio::test(start_paused = true)]
async fn typed_informers_over_the_budget_are_degraded_until_they_fit() {
    let server = Server::default();
    server.on(
        "/api/v1/configmaps",
        Answer::List(&["a", "b", "c", "d", "e"]),
    );
    let factory = server
        .factory()
        .memory(Budget::bytes(1000))
        .build()
        .unwrap();
    let (large, small) = (factory.informer::<ConfigMap>(), factory.informer::<Node>());
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let mut changes = large.status_changes();
    let is_degraded = |state: &InformerState| {
        let InformerState::Degraded { cause } = state else {
            return false;
        };
        matches!(**cause, ReflectorError::OverBudget { held, budget: 1000, .. } if held > 1000)
    };
    let degraded = changes.wait_for(|status| is_degraded(&status.state)).await;
    assert!(degraded.unwrap().has_synced);
    assert!(matches!(small.status().state, InformerState::Synced));
    assert_eq!(large.len(), 5, "the cache stays readable");
    let unchanged = tokio::time::timeout(60 * SECOND, changes.next()).await;
    assert!(
        unchanged.is_err(),
        "the same cause is no change: {unchanged:?}"
    );
    for key in large.keys() {
        large.indexer().delete(&key);
    }
    let mut fitting = large.status_changes();
    let synced = fitting.wait_for(|status| matches!(status.state, InformerState::Synced));
    assert!(tokio::time::timeout(600 * SECOND, synced).await.is_ok());
    factory.shutdown().await;
}

/// I-18: deleted objects that stay readable count for as long as they do.
#[tokio::test(start_paused = true)]
async fn retained_objects_are_counted() {
    let server = Server::default();
    server.on("/api/v1/configmaps", Answer::List(&["a", "b", "c"]));
    let factory = server
        .factory()
        .memory(Budget::bytes(1 << 20))
        .build()
        .unwrap();
    let config = InformerConfig::new().retain_deleted(60 * SECOND);
    let maps = factory.informer_with(InformerOptions::<ConfigMap>::new().config(config));
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let held = maps.held_bytes();
    assert_eq!(maps.metrics().retained_objects, 0);
    for key in maps.keys() {
        maps.indexer().delete(&key);
    }
    assert_eq!((maps.len(), maps.metrics().retained_objects), (0, 3));
    assert_eq!(maps.held_bytes(), held);
    sleep(SECOND).await;
    assert!(factory.memory().used >= held);
    factory.shutdown().await;
}

/// The text names sizes that are not zero, and a remedy that helps.
#[test]
fn an_exceeded_budget_says_what_to_do() {
    let text = |evicts| {
        let held = 300 << 10;
        let budget = 192 << 10;
        ReflectorError::OverBudget {
            held,
            budget,
            evicts,
        }
        .to_string()
    };
    assert_eq!(
        text(true),
        "memory budget of 192.0 KiB exceeded: this informer holds 300.0 KiB that it cannot evict; \
         raise the budget or cache fewer objects"
    );
    assert!(text(false).ends_with("or use `Tiered` storage"));
}
