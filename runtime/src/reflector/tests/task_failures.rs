//! Failures: reports, the state of the cache, and delays.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::support::{play, raw};
use super::world::{Log, Whole, builder, listing, pass, spawn, until};
use crate::logged;
use crate::reflector::{Backoff, ErrorHandler};
use crate::shared_informer::{InformerConfig, SharedInformer};
use crate::source::{
    FakeControllerSource, ListOptions, ListPart, ListStream, ListerWatcher, ScriptedListerWatcher,
    WatchOptions, WatchStream,
};
use crate::status::{InformerState, SourceError};
use crate::wire::{ApiStatus, ListMeta};

/// E-10: one call of the error handler per failure.
#[tokio::test(start_paused = true)]
async fn e10_the_error_handler_sees_each_failure_once() {
    for (script, seen) in [
        ("list fails 500 | list 5 | watch", "List"),
        ("list 5 | watch fails 403 | list 5 | watch", "Connect"),
        ("list 5 | watch fails 429 | watch", "Connect"),
        ("list 5 | watch error:410 | list 5 | watch", "Watch"),
        ("list 5 | watch error:429 | watch", "Watch"),
        ("list 5 | watch then lost | list 5 | watch", "Watch"),
        ("list 5 | watch then cut | list 5 | watch", "Watch"),
        (
            "list 5 | watch then closes | list 5 | watch",
            "VeryShortWatch",
        ),
        ("list 5 a@1 rejected | watch", "Rejected"),
        ("list 5 a@1! | watch", "Object"),
        ("list 5 | watch +a@6!", "Object"),
        ("list 5 | watch rejected", "Rejected"),
    ] {
        let whole = Whole::start(listing(), script);
        pass(10).await;
        assert_eq!(whole.errors.text(), seen, "{script}");
        let metrics = whole.informer.metrics();
        let counted = metrics.failures + metrics.undecodable_objects + metrics.rejected_objects;
        assert_eq!(counted, 1, "{script}");
        assert_eq!(whole.source.unused_answers(), (0, 0), "{script}");
        whole.stop().await;
    }
}

/// Backoff that panics in one of its methods.
#[derive(Debug)]
struct PanickingBackoff(&'static str);

impl Backoff for PanickingBackoff {
    fn next_delay(&mut self) -> Duration {
        assert_ne!(self.0, "next_delay", "s3cret");
        Duration::from_millis(10)
    }

    fn reset(&mut self) {
        assert_ne!(self.0, "reset", "s3cret");
    }
}

/// E-15, E-07, W-20: if a user's backoff panics, the default backoff replaces it.
#[tokio::test(start_paused = true)]
async fn e15_a_panicking_backoff_is_replaced_by_the_default_one() {
    for place in ["new", "next_delay", "reset"] {
        let log = logged::capture(module_path!());
        let config = listing().backoff(move || {
            assert_ne!(place, "new", "s3cret");
            PanickingBackoff(place)
        });
        let script =
            "list fails 500 | list 5 a@1 | watch +b@6 error:410 | list 7 a@1 b@7 | watch +c@8";
        let whole = Whole::start(config, script);
        whole.at("8").await;
        assert_eq!(whole.cached(), "a@1 b@7 c@8", "{place}");
        let text = log.text();
        assert!(text.contains("backoff panicked"), "{place}: {text}");
        assert!(!text.contains("s3cret"), "{place}: {text}");
        whole.stop().await;
    }
}

/// E-06, E-02: an hour of failing lists in virtual time. The first five delays take 25 to 50 s
/// together, the others 30 to 60 s each.
#[tokio::test(start_paused = true)]
async fn e06_an_outage_of_an_hour_takes_no_time() {
    let source = FakeControllerSource::new();
    source.list_error(Some(SourceError::from(ApiStatus::new(500, "", ""))));
    let informer = builder(source.clone()).config(listing()).build().unwrap();
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    pass(3600).await;
    let lists = source.requests().len();
    assert!((62..130).contains(&lists), "{lists}");
    source.list_error(None);
    informer.wait_for_sync().await.unwrap();
    assert_eq!(
        source.requests().len(),
        lists + 2,
        "the list, and its watch"
    );
    cancel.cancel();
    run.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn e15_a_panicking_error_handler_harms_nobody() {
    let source = ScriptedListerWatcher::new();
    play(
        &source,
        "list fails 500 | list 5 a@1 | watch fails 500 | list 6 a@1 | watch +b@7",
    );
    let config = listing().error_handler(ErrorHandler::new(|_| panic!("told to")));
    let informer = builder(source).config(config).build().unwrap();
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    until("b", || {
        informer.last_sync_resource_version().to_string() == "7"
    })
    .await;
    assert_eq!(informer.metrics().failures, 2);
    cancel.cancel();
    run.await.unwrap().unwrap();
}

/// E-13: the cause stays in the status while attempts fail, and is cleared by a success.
#[tokio::test(start_paused = true)]
async fn e13_the_cause_stays_visible_while_it_lasts() {
    for kind in ["403", "404"] {
        let fails = format!("list fails {kind} | ");
        let whole = Whole::start(listing(), &format!("{}list never", fails.repeat(5)));
        whole.source.wait_for_requests(6).await;
        let InformerState::Degraded { cause } = whole.informer.status().state else {
            panic!("{:?}", whole.informer.status());
        };
        assert_eq!(cause.status().unwrap().code.to_string(), kind);
        assert!(whole.informer.wait_for_sync().await.is_err());
        whole.stop().await;
    }
    let whole = Whole::start(listing(), "list fails 404 | list 5 | watch");
    until("synced", || whole.informer.has_synced()).await;
    assert!(matches!(
        whole.informer.status().state,
        InformerState::Synced
    ));
    whole.stop().await;
}

/// N-07: a silent watch makes the status stale, and a new connection clears it; the informer stays
/// synced.
#[tokio::test(start_paused = true)]
async fn n07_a_silent_watch_is_stale_until_it_is_replaced() {
    let whole = Whole::start(listing(), "list 5 a@1 | watch then silent");
    whole.source.wait_for_requests(2).await;
    until("stale", || {
        matches!(whole.informer.status().state, InformerState::Stale { .. })
    })
    .await;
    assert!(whole.informer.has_synced());
    play(&whole.source, "list 5 | watch b@6");
    whole.at("6").await;
    assert!(matches!(
        whole.informer.status().state,
        InformerState::Synced
    ));
    assert_eq!(
        whole.requests(),
        "list 0 limit=500, watch 5, probe 5, watch 5"
    );
    whole.stop().await;
}

#[tokio::test(start_paused = true)]
async fn e14_an_error_keeps_its_causes_code_and_reason() {
    let whole = Whole::start(
        listing(),
        "list fails refused | list fails 403 | list never",
    );
    whole.source.wait_for_requests(3).await;
    let InformerState::Degraded { cause } = whole.informer.status().state else {
        panic!("not degraded");
    };
    let status = cause.status().unwrap();
    assert_eq!((status.code, status.reason.as_str()), (403, "Forbidden"));
    whole.stop().await;
}

/// E-16: a failing informer does not delay others.
#[tokio::test(start_paused = true)]
async fn e16_one_informers_backoff_delays_no_other() {
    let failing = Whole::start(
        listing(),
        "list fails 403 | ".repeat(20).trim_end_matches("| "),
    );
    let start = Instant::now();
    let well = Whole::start(listing(), "list 5 a@1 | watch +b@6");
    well.informer.wait_for_sync().await.unwrap();
    assert!(start.elapsed() < Duration::from_millis(100));
    failing.stop().await;
    well.stop().await;
}

/// Source that panics once, at the given place, and works otherwise.
struct Panicking {
    place: &'static str,
    remaining: AtomicU32,
}

impl Panicking {
    fn is_due(&self, place: &str) -> bool {
        self.place == place && self.remaining.swap(0, Ordering::AcqRel) > 0
    }

    fn at(&self, place: &str) {
        assert!(!self.is_due(place), "told to");
    }
}

impl ListerWatcher for Panicking {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        self.at("list");
        let end = if self.is_due("items") {
            stream::once(async { panic!("told to") }).boxed()
        } else {
            stream::iter([Ok(ListPart::End(ListMeta::at("5")))]).boxed()
        };
        let items = stream::iter([Ok(ListPart::Items(vec![Ok(raw("a@1"))]))]);
        async { Ok(items.chain(end).boxed()) }.boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        assert!(!options.send_initial_events, "told to");
        self.at("watch");
        let events = if self.is_due("events") {
            stream::once(async { panic!("told to") }).boxed()
        } else {
            let bookmark = stream::iter([Ok(super::support::event("b@6"))]);
            bookmark.chain(stream::pending()).boxed()
        };
        async { Ok(events) }.boxed()
    }

    fn supports_watch_list(&self) -> bool {
        self.at("supports_watch_list");
        self.place == "streams"
    }
}

/// a panic at any place is reported and survived.
#[tokio::test(start_paused = true)]
async fn r20_a_panicking_source_is_a_cause_on_its_own_informer() {
    for (place, reported) in [
        ("list", "List"),
        ("items", "List"),
        ("watch", "Watch"),
        ("events", "Watch"),
        ("streams", "Watch"),
        ("supports_watch_list", ""),
    ] {
        let errors = Log::default();
        let remaining = AtomicU32::new(1);
        let informer = builder(Panicking { place, remaining })
            .config(InformerConfig::new().error_handler(errors.error_handler()))
            .build()
            .unwrap();
        runs_to(&informer, "6").await;
        assert_eq!(errors.text(), reported, "{place}");
    }
}

/// an informer in the same task as a panicking one continues, and reports nothing.
#[tokio::test(start_paused = true)]
async fn r20_a_panicking_source_touches_no_other_informer() {
    for place in ["list", "items", "watch", "events", "streams"] {
        let remaining = AtomicU32::new(1);
        let bad = builder(Panicking { place, remaining }).build().unwrap();
        let errors = Log::default();
        let source = ScriptedListerWatcher::new();
        play(&source, "list 5 a@1 | watch +b@6");
        let good = builder(source)
            .config(listing().error_handler(errors.error_handler()))
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let both = futures::future::join(bad.run(cancel.clone()), good.run(cancel.clone()));
        let run = spawn(both);
        until("the events of the other informer", || {
            good.last_sync_resource_version().to_string() == "6"
        })
        .await;
        until("the panic", || bad.metrics().failures == 1).await;
        assert_eq!(good.metrics().failures, 0, "{place}");
        assert_eq!(errors.text(), "", "{place}");
        cancel.cancel();
        let (bad, good) = run.await.unwrap();
        assert!(bad.is_ok() && good.is_ok(), "{place}");
    }
}

async fn runs_to(informer: &SharedInformer<k8s_openapi::api::core::v1::ConfigMap>, version: &str) {
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    until(version, || {
        informer.last_sync_resource_version().to_string() == version
    })
    .await;
    cancel.cancel();
    run.await.unwrap().unwrap();
}

/// cancelling also stops a source that is always ready.
#[tokio::test(start_paused = true)]
async fn r02_a_source_that_is_always_ready_does_not_keep_the_task_from_its_end() {
    struct Flood;
    impl ListerWatcher for Flood {
        fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
            let end = [Ok(ListPart::End(ListMeta::at("5")))];
            async { Ok(stream::iter(end).boxed()) }.boxed()
        }
        fn watch(&self, _: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
            let mut sent = 0_u32;
            let flood = stream::repeat_with(move || {
                sent += 1;
                assert!(sent < 1_000_000, "no other task runs");
                Ok(super::support::event("rejected"))
            });
            async { Ok(flood.boxed()) }.boxed()
        }
        fn supports_watch_list(&self) -> bool {
            false
        }
    }
    let informer = builder(Flood).config(listing()).build().unwrap();
    let cancel = CancellationToken::new();
    let run = spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    while !informer.has_synced() {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    run.await.unwrap().unwrap();
    assert_eq!(informer.metrics().failures, 0, "the flood ended");
}
