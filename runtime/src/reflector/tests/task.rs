//! Requests of the reflector's task, and the resulting deltas.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::{Condvar, Mutex};
use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;

use super::support::{failure, play, raw, raws};
use super::world::{Alone, Whole, listing, pass, typed, until};
use crate::reflector::turn::Turn;
use crate::reflector::{EntryMaker, Room, Turns};
use crate::shared_informer::InformerConfig;
use crate::source::{ListAnswer, ListPart, WatchAnswer};
use crate::status::ReflectorError;
use crate::storage::{Transform, Typed};
use crate::wire::ListMeta;

#[tokio::test(start_paused = true)]
async fn r03_an_error_event_closes_its_watch() {
    let alone = Alone::start(listing(), "list 5 a@1");
    let (watch, answer) = WatchAnswer::controlled();
    alone.source.on_watch(answer);
    watch
        .send(super::support::event("error:429"))
        .await
        .unwrap();
    let closed = timeout(Duration::from_secs(60), watch.dropped()).await;
    assert!(closed.is_ok(), "the watch is still read");
    alone.source.wait_for_requests(3).await;
    assert_eq!(alone.requests(), "list 0 limit=500, watch 5, watch 5");
    assert_eq!(alone.errors.text(), "Watch");
    alone.stop().await;
}

/// deltas are in the server's order, and none is merged.
#[tokio::test(start_paused = true)]
async fn r04_a_list_and_its_watch_become_deltas_in_the_servers_order() {
    let alone = Alone::start(listing(), "list 5 b@1 a@2 | watch +c@6 ~a@7 ~a@8 b@9 -c@10");
    assert_eq!(
        alone.batches(4).await,
        "replaced 5: b@1 a@2 | +c@6 ~a@7 | ~a@8 | b 9"
    );
    assert_eq!(alone.batches(1).await, "-c@10");
    assert_eq!(alone.requests(), "list 0 limit=500, watch 5");
    alone.stop().await;
}

/// W-08: the objects of expired pages are dropped.
#[tokio::test(start_paused = true)]
async fn w08_the_unpaged_list_stands_alone() {
    let alone = Alone::start(
        listing(),
        "list 5 a@1 gone@2 more=t | list fails 410 | list 9 a@1 b@8 | watch",
    );
    assert_eq!(alone.batches(1).await, "replaced 9: a@1 b@8");
    assert_eq!(
        alone.requests(),
        "list 0 limit=500, list - limit=500 continue=t, list 0, watch 9"
    );
    alone.stop().await;
}

/// W-16: an incomplete list applies nothing.
#[tokio::test(start_paused = true)]
async fn w16_a_list_that_breaks_off_applies_nothing() {
    let alone = Alone::start(listing(), "watch");
    let cut = super::support::failure("cut");
    alone
        .source
        .on_list(ListAnswer::breaks_off([raw("gone@1")], cut));
    let endless = ListPart::Items(vec![Ok(raw("gone@2"))]);
    alone.source.on_list(ListAnswer::parts([endless]));
    play(&alone.source, "list 5 a@1");
    assert_eq!(alone.batches(1).await, "replaced 5: a@1");
    assert_eq!(alone.errors.text(), "List List");
    alone.stop().await;
}

/// W-09: a cancelled list ends at once, and is not a list.
#[tokio::test(start_paused = true)]
async fn w09_cancelling_during_a_list_reports_no_populated_cache() {
    for script in ["list never", "list 5 a@1 more=t | list never"] {
        let whole = Whole::start(listing(), script);
        whole
            .source
            .wait_for_requests(script.split('|').count())
            .await;
        let informer = whole.informer.clone();
        let before = Instant::now();
        whole.stop().await;
        assert_eq!(before.elapsed(), Duration::ZERO);
        assert!(!informer.has_synced());
        assert!(informer.snapshot().is_empty());
        assert!(informer.wait_for_sync().await.is_err());
    }
}

/// L-15, E-06: cancelling ends every wait at once.
#[tokio::test(start_paused = true)]
async fn l15_every_wait_ends_at_once_on_cancel() {
    for script in [
        "list never",
        "list fails 429-after-500",
        "list 5 | watch never",
        "list 5 | watch",
        "list 5 | watch fails refused",
        "list 5 | watch error:429-after-500",
        // Probe of a server that may have gone back.
        "list 5 | watch then lost | watch then lost | list never",
    ] {
        let alone = Alone::start(listing(), script);
        pass(10).await;
        let before = Instant::now();
        alone.stop().await;
        assert_eq!(before.elapsed(), Duration::ZERO, "{script}");
    }
    for script in [
        "watch never",
        "watch",
        "watch fails 429-after-500",
        "watch +a@1 then closes",
    ] {
        let alone = Alone::start(InformerConfig::new(), script);
        pass(1).await;
        let before = Instant::now();
        alone.stop().await;
        assert_eq!(before.elapsed(), Duration::ZERO, "{script}");
    }
}

/// L-15: so do the waits for what the informers of a factory share, and for the queue.
#[tokio::test(start_paused = true)]
async fn l15_a_wait_for_other_informers_or_for_the_queue_ends_at_once_too() {
    let objects = (0..200).map(|number| format!(" a{number}@1"));
    let list: String = std::iter::once("list 5".to_owned())
        .chain(objects)
        .collect();
    for shared in ["gate", "turns", "room", "queue"] {
        let mut settings = listing().reflector();
        let mut held = Vec::<Box<dyn std::any::Any>>::new();
        match shared {
            "gate" => {
                let failure = ReflectorError::Connect(failure("429-after-30"));
                settings.peers.gate.failed(&failure, Instant::now());
            }
            "turns" => {
                settings.peers.turns = Turns::new(1);
                let mut turn = Turn::new(settings.peers.turns.clone());
                turn.acquire().await;
                held.push(Box::new(turn));
            }
            "room" => {
                settings.peers.room = Room::new(1000);
                let mut share = settings.peers.room.share();
                // An object takes at most half of the room.
                share.add(500).await;
                share.add(500).await;
                held.push(Box::new(share));
            }
            _ => {}
        }
        let capacity = if shared == "queue" { 1 } else { 4096 };
        let script = format!("{list} | watch +b@6 +b@7 +b@8");
        let alone = Alone::of(
            &settings,
            &script,
            typed(),
            capacity,
            CancellationToken::new(),
        );
        pass(10).await;
        let waits = alone.source.requests().len() < 2 || alone.fifo.len() == 1;
        assert!(waits, "{shared}: {:?}", alone.source.requests());
        let before = Instant::now();
        alone.stop().await;
        assert_eq!(before.elapsed(), Duration::ZERO, "{shared}");
    }
}

/// L-15: cancelling at any moment ends the reflector at once, whatever it waits for.
#[tokio::test(start_paused = true)]
async fn l15_any_moment_is_the_end() {
    let answers = [
        "list 5 a@1",
        "list 5 a@1 more=t",
        "list fails 503",
        "list fails lost",
        "list never",
        "watch +b@6 b@9",
        "watch +b@6 then lost",
        "watch then closes",
        "watch fails 410",
        "watch fails refused",
        "watch never",
    ];
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let script: Vec<_> = (0..6).filter_map(|_| random.choice(answers)).collect();
        let script = script.join(" | ");
        let alone = Alone::start(listing(), &script);
        tokio::time::sleep(Duration::from_millis(random.u64(0..60_000))).await;
        let before = Instant::now();
        alone.stop().await;
        assert_eq!(before.elapsed(), Duration::ZERO, "{script}");
    }
}

/// a full queue stops the reading. No event is lost, and cancelling works.
#[tokio::test(start_paused = true)]
async fn q11_a_full_queue_stops_the_reflector_from_reading() {
    let cancel = CancellationToken::new();
    let alone = Alone::with(listing(), "list 5 a@1", typed(), 3, cancel);
    let (watch, answer) = WatchAnswer::controlled();
    alone.source.on_watch(answer);
    for version in 6..50 {
        watch
            .send(super::support::event(&format!("~a@{version}")))
            .await
            .unwrap();
    }
    pass(1).await;
    assert_eq!(alone.fifo.len(), 3);
    assert_eq!(alone.batches(3).await, "replaced 5: a@1 | ~a@6 | ~a@7");
    for version in 8..50 {
        assert_eq!(alone.batches(1).await, format!("~a@{version}"));
    }
    alone.stop().await;
}

/// C-03, L-05: a long list is decoded on all cores, and keeps its order.
#[tokio::test(start_paused = true)]
async fn c03_a_long_list_keeps_its_order() {
    let alone = Alone::start(listing(), "watch");
    let objects = raws(1000);
    let parts = objects
        .chunks(7)
        .map(|part| ListPart::Items(part.iter().cloned().map(Ok).collect()));
    let end = ListPart::End(ListMeta::at("2000"));
    alone.source.on_list(ListAnswer::parts(parts.chain([end])));
    let expected: Vec<String> = (0..1000)
        .map(|n| format!("o{:05}@{}", 1000 - n, n + 1))
        .collect();
    assert_eq!(
        alone.batches(1).await,
        format!("replaced 2000: {}", expected.join(" "))
    );
    assert_eq!(alone.metrics.get().decoded_objects, 1000);
    alone.stop().await;
}

/// Transform that ends only after it was opened.
#[derive(Default)]
struct Gate {
    open: Mutex<bool>,
    opened: Condvar,
    running: Mutex<usize>,
}

impl Gate {
    fn pass(&self) {
        *self.running.lock() += 1;
        let mut open = self.open.lock();
        while !*open {
            self.opened.wait(&mut open);
        }
        drop(open);
        *self.running.lock() -= 1;
    }
}

/// R-02, F-12: decoding tasks are joined.
#[tokio::test(start_paused = true)]
async fn r02_cancelled_in_the_middle_of_a_long_list_joins_what_decodes() {
    let gate = Arc::new(Gate::default());
    let gated = Transform::new("gate", {
        let gate = Arc::clone(&gate);
        move |_: &mut ConfigMap| {
            gate.pass();
            Ok(())
        }
    });
    let maker = EntryMaker::new(&Arc::new(Typed), Some(gated), None);
    let cancel = CancellationToken::new();
    let alone = Alone::with(listing(), "", Arc::new(maker), 10, cancel);
    alone
        .source
        .on_list(ListAnswer::items(raws(5000), ListMeta::at("5000")));
    // The paused clock does not advance while a blocking task runs, so timers cannot be used here.
    while *gate.running.lock() == 0 {
        tokio::task::yield_now().await;
    }
    alone.cancel.cancel();
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert!(!alone.run.is_finished(), "a task still decodes");
    *gate.open.lock() = true;
    gate.opened.notify_all();
    alone.run.await.unwrap();
    assert_eq!(*gate.running.lock(), 0);
    assert!(alone.fifo.is_empty());
}

/// T-01: cached objects stay readable, and the next list finds deleted objects.
#[tokio::test(start_paused = true)]
async fn r15_the_cache_outlives_a_failed_cycle() {
    let whole = Whole::start(
        listing(),
        "list 5 a@1 b@2 | watch +c@6 error:corrupt | list fails 500 | list fails 403",
    );
    whole.source.wait_for_requests(5).await;
    assert_eq!(whole.cached(), "a@1 b@2 c@6");
    assert!(whole.informer.has_synced());
    play(&whole.source, "list 9 a@1 c@8 | watch");
    whole.at("9").await;
    assert_eq!(whole.cached(), "a@1 c@8");
    assert_eq!(whole.seen.text(), "i+a@1 i+b@2 +c@6 r?b@2 r~c@6>8");
    assert_eq!(whole.informer.metrics().lists, 2);
    whole.stop().await;
}

/// B-10, B-11.
#[tokio::test(start_paused = true)]
async fn b10_a_bookmark_moves_the_version_and_tells_nobody() {
    let whole = Whole::start(listing(), "list 5 a@1 | watch ~a@6 b@9 then closes | watch");
    whole.at("9").await;
    assert_eq!(whole.seen.text(), "i+a@1 ~a@1>6");
    assert_eq!(whole.informer.metrics().bookmarks, 1);
    until("resumed", || whole.requests().ends_with("watch 9")).await;
    whole.stop().await;
}
