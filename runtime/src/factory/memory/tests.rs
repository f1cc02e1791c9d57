//! Use of a budget by informers that evict nothing.

use k8s_openapi::api::core::v1::{ConfigMap, Node};

use crate::factory::Budget;
use crate::factory::tests::support::{Answer, SECOND, Server};
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
        matches!(**cause, ReflectorError::OverBudget { held, budget: 1000 } if held > 1000)
    };
    let degraded = changes.wait_for(|status| is_degraded(&status.state)).await;
    assert!(degraded.unwrap().has_synced);
    assert!(matches!(small.status().state, InformerState::Synced));
    assert_eq!(large.len(), 5, "the cache stays readable");
    for key in large.keys() {
        large.indexer().delete(&key);
    }
    let mut fitting = large.status_changes();
    let synced = fitting.wait_for(|status| matches!(status.state, InformerState::Synced));
    assert!(tokio::time::timeout(600 * SECOND, synced).await.is_ok());
    factory.shutdown().await;
}
