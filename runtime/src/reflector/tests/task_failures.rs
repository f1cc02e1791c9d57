//! Failures: reports, the state of the cache, and delays.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::future::{BoxFuture, join};
use futures::{FutureExt as _, StreamExt as _, stream};
use tokio_util::sync::CancellationToken;

use super::support::{play, raw};
use super::world::{Log, Running, Whole, builder, listing, pass, spawn, until};
use crate::logged;
use crate::reflector::{Backoff, ErrorHandler};
use crate::shared_informer::InformerConfig;
use crate::source::{
    FakeControllerSource, ListOptions, ListPart, ListStream, ListerWatcher, ScriptedListerWatcher,
    WatchOptions, WatchStream,
};
use crate::status::SourceError;
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
    source.list_error(SourceError::from(ApiStatus::new(500, "", "")));
    let informer = builder(source.clone()).config(listing()).build().unwrap();
    let running = Running::start(&informer);
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
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn e15_a_panicking_error_handler_harms_nobody() {
    let panicking = InformerConfig::new().error_handler(ErrorHandler::new(|_| panic!("told to")));
    let script = "list fails 500 | list 5 a@1 | watch fails 500 | list 6 a@1 | watch +b@7";
    let whole = Whole::build(listing(), script, |builder| builder.config(panicking));
    whole.at("7").await;
    assert_eq!(whole.informer.metrics().failures, 2);
    whole.stop().await;
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

/// a panic at any place is reported and survived. An informer in the same task continues, and
/// reports nothing.
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
        let (errors, other_errors) = (Log::default(), Log::default());
        let remaining = AtomicU32::new(1);
        let bad = builder(Panicking { place, remaining })
            .config(InformerConfig::new().error_handler(errors.error_handler()))
            .build()
            .unwrap();
        let source = ScriptedListerWatcher::new();
        play(&source, "list 5 a@1 | watch +b@6");
        let good = builder(source)
            .config(listing().error_handler(other_errors.error_handler()))
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let run = spawn(join(bad.run(cancel.clone()), good.run(cancel.clone())));
        for informer in [&bad, &good] {
            until(place, || {
                informer.last_sync_resource_version().to_string() == "6"
            })
            .await;
        }
        assert_eq!(errors.text(), reported, "{place}");
        assert_eq!(other_errors.text(), "", "{place}");
        cancel.cancel();
        let (bad, good) = run.await.unwrap();
        assert!(bad.is_ok() && good.is_ok(), "{place}");
    }
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
    let running = Running::start(&informer);
    while !informer.has_synced() {
        tokio::task::yield_now().await;
    }
    running.stop().await;
    assert_eq!(informer.metrics().failures, 0, "the flood ended");
}
