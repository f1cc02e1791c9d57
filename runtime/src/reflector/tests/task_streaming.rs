//! Streaming lists, through the reflector's task.

use tokio::time::Instant;

use super::world::{Alone, Whole, pass};
use crate::shared_informer::InformerConfig;

/// L-01, L-02, L-04, L-05: one replacement at the end mark, in order of arrival, then the watch.
#[tokio::test(start_paused = true)]
async fn l04_the_end_mark_hands_the_whole_list_on_and_the_stream_goes_on() {
    let alone = Alone::start(InformerConfig::new(), "watch +b@3 +a@2 end@5 +c@6 b@7 -c@8");
    assert_eq!(
        alone.batches(4).await,
        "replaced 5: b@3 a@2 | +c@6 | b 7 | -c@8"
    );
    assert_eq!(alone.requests(), "stream -");
    alone.stop().await;
}

/// L-02: an ordinary bookmark does not end the list.
#[tokio::test(start_paused = true)]
async fn l02_nothing_reaches_the_store_before_the_end_mark() {
    let whole = Whole::start(InformerConfig::new(), "watch +a@1 b@4");
    pass(5).await;
    assert_eq!(whole.informer.last_sync_resource_version().to_string(), "");
    assert_eq!((whole.cached(), whole.seen.text()), Default::default());
    assert!(!whole.informer.has_synced());
    whole.stop().await;
}

#[tokio::test(start_paused = true)]
async fn l03_changes_among_the_initial_events_are_applied() {
    let alone = Alone::start(
        InformerConfig::new(),
        "watch +a@1 +b@2 ~a@3 -b@4 +c@5 -d@6 -c@7 +b@8 end@9",
    );
    assert_eq!(alone.batches(1).await, "replaced 9: a@3 b@8");
    alone.stop().await;
}

/// L-16, H-07.
#[tokio::test(start_paused = true)]
async fn l16_a_bookmark_alone_syncs_an_empty_cache() {
    let whole = Whole::start(InformerConfig::new(), "watch end@5");
    whole.informer.wait_for_sync().await.unwrap();
    assert_eq!(whole.informer.last_sync_resource_version().to_string(), "5");
    assert_eq!(whole.informer.metrics().lists, 1);
    whole.stop().await;
}

/// L-08, L-02: the objects of a stream that ended early are dropped.
#[tokio::test(start_paused = true)]
async fn l08_a_stream_that_is_asked_for_again_starts_from_nothing() {
    let alone = Alone::start(
        InformerConfig::new(),
        "watch +gone@1 then cut | watch +a@2 end@5",
    );
    assert_eq!(alone.batches(1).await, "replaced 5: a@2");
    assert_eq!(alone.errors.text(), "Watch");
    alone.stop().await;
}

/// L-09: without an end mark, for any reason, the informer syncs after 30 s by a list.
#[tokio::test(start_paused = true)]
async fn l09_a_stream_without_its_end_mark_is_replaced_by_a_list() {
    for (script, error) in [
        ("watch never | list 5 a@1 | watch", "Connect"),
        ("watch | list 5 a@1 | watch", "BookmarkMissing"),
        ("watch +b@1 | list 5 a@1 | watch", "BookmarkMissing"),
        (
            "watch +b@1 ~b@2 b@3 | list 5 a@1 | watch",
            "BookmarkMissing",
        ),
    ] {
        let start = Instant::now();
        let whole = Whole::start(InformerConfig::new(), script);
        whole.informer.wait_for_sync().await.unwrap();
        let elapsed = start.elapsed();
        assert!(
            (30..31).contains(&elapsed.as_secs()),
            "{script}: {elapsed:?}"
        );
        assert_eq!(whole.errors.text(), error, "{script}");
        assert_eq!(whole.cached(), "a@1");
        whole.stop().await;
    }
}
