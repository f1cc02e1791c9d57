//! Ends of a wait for the cache.

use std::sync::Arc;
use std::time::Duration;

use futures::poll;
use informer_runtime::engine::Chain;
use informer_runtime::{ObjectKey, ResourceInfo, SyncError};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, timeout};

use super::super::plan::{Limits, PATIENCE, REFUSAL_MEMORY};
use super::super::shared::SharedCache;
use super::world::{DEFAULT, GRACE, World, advance, cached, idle, miss, watches};
use crate::tests::running::Running;

const DAY: Duration = Duration::from_secs(86_400);

/// One foreign object with a broken conversion webhook fails the list of a namespace.
#[tokio::test(start_paused = true)]
async fn g14_a_namespace_whose_list_fails_is_watched_by_names() {
    let (world, cache) = World::prepared("ns/a ns/b ns/c", "ns/a ns/b ns/c", (64, 3));
    world.fail(|scope| scope.resource == "secrets" && scope.selected_name().is_none());
    world.factory.start().unwrap();
    advance(PATIENCE / 2).await;
    assert_eq!(watches(&cache), (0, 1));
    timeout(DAY, cache.wait_for_sync()).await.unwrap().unwrap();
    idle().await;
    assert_eq!(cached(&cache), "ns/a ns/b ns/c");
    assert_eq!(watches(&cache), (3, 0));

    world.fail(|_| false);
    advance(2 * REFUSAL_MEMORY).await;
    assert_eq!(watches(&cache), (0, 1));
}

/// An outage of the server ends for names beyond the limit, too.
#[tokio::test(start_paused = true)]
async fn g14_a_namespace_watch_that_fails_goes_on_while_a_name_has_no_other() {
    let (world, cache) = World::prepared("ns/a ns/b ns/c", "ns/a ns/b ns/c", (1, 3));
    world.fail(|scope| scope.resource == "secrets");
    world.factory.start().unwrap();
    advance(2 * PATIENCE).await;
    assert_eq!(watches(&cache), (1, 1));
    world.fail(|_| false);
    advance(REFUSAL_MEMORY / 2).await;
    cache.wait_for_sync().await.unwrap();
    assert_eq!(cached(&cache), "ns/a ns/b ns/c");
    assert_eq!(watches(&cache), (0, 1));
}

/// A server whose cache of roles is cold refuses once.
#[tokio::test(start_paused = true)]
async fn g14_one_refusal_of_a_namespace_watch_that_has_synced_changes_nothing() {
    let (world, cache) = World::started("ns/a ns/b ns/c", "ns/a ns/b ns/c", (64, 3)).await;
    world.forbid(|scope| scope.resource == "secrets" && scope.selected_name().is_none());
    world.server.compact();
    idle().await;
    world.forbid(|_| false);
    world.requests();
    advance(2 * PATIENCE).await;
    assert_eq!(watches(&cache), (0, 1));
    let requests = world.requests();
    assert!(
        requests.iter().all(|request| request.ends_with("ns/*")),
        "{requests:?}"
    );
}

/// A definite failure ends the wait, as that of an informer: status, error and retries.
#[tokio::test(start_paused = true)]
async fn f06_a_wait_ends_with_a_failure_that_retries_do_not_cure() {
    for limits in [DEFAULT, (64, 1)] {
        for (code, reason) in [(404, "NotFound"), (401, "Unauthorized")] {
            let world = World::new();
            world.put("ns/a");
            world.refer("site", "ns/a");
            let cache = world.cache(limits);
            world.refuse(code, reason, |scope| scope.resource == "secrets");
            world.factory.start().unwrap();
            let waited = timeout(DAY, cache.wait_for_sync()).await.unwrap();
            let error = waited.unwrap_err();
            let is_expected = match code {
                404 => matches!(error, SyncError::NotServed(_)),
                _ => matches!(error, SyncError::Unauthorized(_)),
            };
            assert!(is_expected, "{error:?}");
            let shown = Chain(&error).to_string();
            assert!(shown.contains("refused"), "{shown}");
            assert!(!cache.status().has_synced);
            // Attempts continue.
            world.fail(|_| false);
            advance(Duration::from_secs(120)).await;
            timeout(DAY, cache.wait_for_sync()).await.unwrap().unwrap();
            assert_eq!(miss(&cache, "ns/a"), "found");
        }
    }
}

/// A name that is given up, and a namespace that is forbidden, are no failures of the factory.
#[tokio::test(start_paused = true)]
async fn f06_the_wait_of_the_factory_does_not_fail_for_a_watch_that_is_given_up() {
    let world = World::new();
    world.put("ns/b");
    world.refer("site", "ns/a ns/b");
    let _cache = world.cache(DEFAULT);
    world.fail(|scope| scope.selected_name() == Some("a"));
    world.factory.start().unwrap();
    idle().await;
    let (outcome, ()) = tokio::join!(world.factory.wait_for_cache_sync(), async {
        world.refer("site", "ns/b");
        advance(2 * GRACE).await;
    });
    let outcome = outcome.unwrap();
    assert!(outcome.is_synced());
}

/// N-02. A name that is released before the cache has shown its object ends the wait of a session,
/// although the cache does not change.
#[tokio::test(start_paused = true)]
async fn n02_a_wait_for_a_name_ends_with_its_release() {
    let watch: Running = Running::synced(&["x"]).await;
    let key = ObjectKey::namespaced("a", "x");
    let limits = Limits {
        max_single_watches: 1,
        promote_at: 3,
        grace_period: GRACE,
    };
    let resource = ResourceInfo::of_type::<ConfigMap>();
    let shared = Arc::new(SharedCache::<ConfigMap>::new(
        "cache".into(),
        resource,
        limits,
    ));
    let decide = |now| {
        let mut state = shared.state.lock();
        let state = &mut *state;
        let step = state.plan.decide(now, &state.informers);
        let started = step.start.into_iter();
        let informers = started.map(|(id, _)| (id, watch.informer.clone()));
        state.informers.extend(informers);
        shared.note_decision();
    };
    let now = Instant::now();
    shared.state.lock().plan.mention(key.clone());
    decide(now);
    let mut waiting = Box::pin(Arc::clone(&shared).catch_up());
    assert!(poll!(&mut waiting).is_pending(), "the cache is empty");
    shared.state.lock().plan.unmention(&key, now);
    decide(now);
    assert!(poll!(&mut waiting).is_pending(), "the name is followed");
    decide(now + GRACE);
    assert!(poll!(&mut waiting).is_ready());
    watch.stop().await;
}
