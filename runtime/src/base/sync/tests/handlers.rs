//! From controller to handlers: mailboxes, late handlers, removal, sync, shutdown.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;

use super::support::{Rig, View, current, delete, list, put};
use crate::base::sync::Mutex;
use crate::delta_fifo::{Delta, Order};
use crate::event::Event;
use crate::processor::{
    AddHandlerError, EventHandler, EventStream, HandlerOptions, HandlerRegistration,
    HandlerSyncError, WhenFull, async_handler,
};
use informer_test_harness::schedules::{check, spawn};

/// Final state after the deltas below.
const END: &str = "a@9 c@8 z@10";

fn deltas() -> Vec<Delta> {
    vec![
        list(3, &[("a", 1), ("b", 2)]),
        put("a", 4),
        delete("b", 5),
        put("b", 6),
        delete("b", 7),
        put("c", 8),
        put("a", 9),
        put("z", 10),
    ]
}

fn small(when_full: WhenFull) -> HandlerOptions {
    HandlerOptions::new()
        .capacity(NonZeroUsize::MIN)
        .when_full(when_full)
}

/// Returns a handler that is slower than the writer.
fn slow(view: &View) -> impl EventHandler<u64> + use<> {
    let view = view.clone();
    async_handler(move |event: Event<u64>| {
        let view = view.clone();
        async move {
            shuttle::future::yield_now().await;
            view.note(&event);
        }
    })
}

/// H-06, C-14: a handler that is added at any moment sees a state and then all later changes: no
/// change twice, no change omitted.
#[test]
fn h06_a_late_handler_sees_the_state_and_then_the_tail() {
    for order in [Order::Global, Order::PerKey] {
        check(move || async move {
            let rig = Rig::start(order, 2);
            let feed = rig.feed(deltas());
            let views = [View::new(), View::new(), View::new()];
            for view in &views {
                rig.add(view.handler(), HandlerOptions::new()).unwrap();
                shuttle::future::yield_now().await;
            }
            feed.await.unwrap();
            for view in &views {
                view.becomes(END).await;
            }
            rig.stop().await;
            views.iter().for_each(View::check);
        });
    }
}

/// H-05, H-01: a handler that blocks the informer gets every notification in order, and the
/// informer continues.
#[test]
fn h05_a_blocking_handler_gets_everything_in_order() {
    check(|| async {
        let rig = Rig::start(Order::Global, 2);
        let (slow_view, other) = (View::new(), View::new());
        rig.add(slow(&slow_view), small(WhenFull::Block)).unwrap();
        rig.add(other.handler(), HandlerOptions::new()).unwrap();
        rig.feed(deltas()).await.unwrap();
        slow_view.becomes(END).await;
        other.becomes(END).await;
        assert_eq!((slow_view.calls(), other.calls()), (9, 9));
        rig.stop().await;
    });
}

/// H-04, C-13: notifications, merged or not, form a consistent history: each one starts at the
/// state that the handler saw last, and the last one ends at the state of the store.
#[test]
fn h04_a_slow_handler_sees_a_consistent_history_with_the_same_end() {
    check(|| async {
        let rig = Rig::start(Order::Global, 2);
        let view = View::new();
        rig.add(slow(&view), small(WhenFull::Coalesce)).unwrap();
        rig.feed(deltas()).await.unwrap();
        view.becomes(END).await;
        rig.stop().await;
    });
}

/// Y-07, C-06, H-05: repeated unchanged objects reach only the handler with resyncs, in order with
/// the changes, and never before a change that they contain, even with resyncs of the whole store
/// in between.
#[test]
fn y07_unchanged_objects_take_their_place_among_changes_and_resyncs() {
    for when_full in [WhenFull::Coalesce, WhenFull::Block] {
        check(move || async move {
            let rig = Rig::start(Order::Global, 2);
            let (resynced, other) = (View::new(), View::new());
            let options = small(when_full).resync_period(Duration::from_secs(1));
            let registration = rig.add(slow(&resynced), options).unwrap();
            rig.add(other.handler(), HandlerOptions::new()).unwrap();
            let mut deltas = vec![
                put("a", 1),
                list(3, &[("a", 1), ("b", 2)]),
                put("a", 4),
                Delta::Sync(vec![registration.id()]),
            ];
            deltas.extend([put("a", 4), put("b", 2), put("b", 5), list(6, &[("b", 5)])]);
            rig.feed(deltas).await.unwrap();
            resynced.becomes("b@5").await;
            other.becomes("b@5").await;
            rig.at(6).await;
            rig.stop().await;
            // a, b, a, b, -a; the handler with resyncs also receives resyncs.
            assert_eq!(other.calls(), 5);
            resynced.check();
        });
    }
}

/// H-10, H-11: after a removal has returned, no call runs and no call begins, and a push that
/// waited for room in the removed mailbox continues.
#[test]
fn h10_no_call_comes_after_a_removal() {
    for when_full in [WhenFull::Coalesce, WhenFull::Block] {
        check(move || async move {
            let rig = Rig::start(Order::Global, 2);
            let (removed, stays) = (View::new(), View::new());
            let registration = rig.add(slow(&removed), small(when_full)).unwrap();
            rig.add(stays.handler(), HandlerOptions::new()).unwrap();
            let feed = rig.feed(deltas());
            let twice = registration.clone();
            let other = spawn(async move { twice.remove().await });
            registration.remove().await;
            removed.close();
            feed.await.unwrap();
            stays.becomes(END).await;
            other.await.unwrap();
            rig.stop().await;
            removed.check();
        });
    }
}

/// H-12: a handler removes itself from inside a call, which is then its last one, while another
/// removal waits for that call.
#[test]
fn h12_a_handler_removes_itself() {
    check(|| async {
        let rig = Rig::start(Order::Global, 2);
        let view = View::new();
        let own: Arc<Mutex<Option<HandlerRegistration>>> = Arc::new(Mutex::new(None));
        let (seen, itself) = (view.clone(), Arc::clone(&own));
        let handler = async_handler(move |event: Event<u64>| {
            let (seen, itself) = (seen.clone(), Arc::clone(&itself));
            async move {
                let registration = itself.lock().clone();
                seen.note(&event);
                if let Some(registration) = registration {
                    registration.remove().await;
                    seen.close();
                }
            }
        });
        let registration = rig.add(handler, HandlerOptions::new()).unwrap();
        *own.lock() = Some(registration.clone());
        let other = View::new();
        rig.add(other.handler(), HandlerOptions::new()).unwrap();
        let feed = rig.feed(deltas());
        shuttle::future::yield_now().await;
        // This removal runs outside of the handler, so it waits for the running call.
        registration.remove().await;
        let calls = view.calls();
        feed.await.unwrap();
        other.becomes(END).await;
        rig.stop().await;
        assert_eq!(view.calls(), calls);
        view.check();
    });
}

/// H-07: a registration is synced once its handler has seen the initial state, whenever it was
/// added, and waiters are woken.
#[test]
fn h07_a_handler_is_synced_once_it_has_seen_the_first_state() {
    for order in [Order::Global, Order::PerKey] {
        check(move || async move {
            let rig = Rig::start(order, 2);
            let feed = rig.feed(vec![list(3, &[("a", 1), ("b", 2)])]);
            let handlers: Vec<_> = (0..2)
                .map(|_| {
                    let view = View::new();
                    let registration = rig.add(slow(&view), HandlerOptions::new()).unwrap();
                    spawn(async move {
                        registration.wait_for_sync().await.unwrap();
                        assert_eq!(view.text(), "a@1 b@2");
                        assert!(registration.has_synced());
                    })
                })
                .collect();
            feed.await.unwrap();
            for handler in handlers {
                handler.await.unwrap();
            }
            rig.stop().await;
        });
    }
}

/// F-11, H-15: a stop at any moment ends producers, handlers, streams and their waiters, and no
/// handler is called afterwards.
#[test]
fn f11_a_stop_at_any_moment_ends_everything() {
    for when_full in [WhenFull::Coalesce, WhenFull::Block] {
        check(move || async move {
            let rig = Rig::start(Order::Global, 1);
            let feed = rig.feed(deltas());
            let view = View::new();
            let registration = rig.add(slow(&view), small(when_full)).unwrap();
            let waiter = {
                let registration = registration.clone();
                spawn(async move { registration.wait_for_sync().await })
            };
            let indexer = rig.indexer.clone();
            let stream = rig
                .processor
                .subscribe(small(when_full), move || Some(current(&indexer)))
                .map(EventStream::<u64>::of)
                .unwrap();
            let consumer = spawn(stream.for_each(|_| shuttle::future::yield_now()));
            let late = {
                let (processor, indexer) = (rig.processor.clone(), rig.indexer.clone());
                spawn(async move {
                    let view = View::new();
                    let current = move || Some(current(&indexer));
                    let options = HandlerOptions::new();
                    match processor.add_of_objects(view.handler(), options, current) {
                        Ok(registration) => registration.wait_for_sync().await,
                        Err(AddHandlerError::Stopped) => Err(HandlerSyncError::Stopped),
                    }
                })
            };
            rig.stop().await;
            view.close();
            feed.await.unwrap();
            consumer.await.unwrap();
            for waiter in [waiter, late] {
                let ended = waiter.await.unwrap();
                assert!(matches!(ended, Ok(()) | Err(HandlerSyncError::Stopped)));
            }
            registration.remove().await;
            view.check();
        });
    }
}

/// A stream that is dropped while the processor writes to it blocks no other consumer.
#[test]
fn a_dropped_stream_blocks_no_other_consumer() {
    check(|| async {
        let rig = Rig::start(Order::Global, 1);
        let indexer = rig.indexer.clone();
        let mut stream = rig
            .processor
            .subscribe(small(WhenFull::Block), move || Some(current(&indexer)))
            .map(EventStream::<u64>::of)
            .unwrap();
        let other = View::new();
        rig.add(other.handler(), HandlerOptions::new()).unwrap();
        let feed = rig.feed(deltas());
        let consumer = spawn(async move {
            stream.next().await;
            drop(stream);
        });
        consumer.await.unwrap();
        feed.await.unwrap();
        other.becomes(END).await;
        rig.stop().await;
    });
}
