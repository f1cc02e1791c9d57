//! Start and stop, and calls before and after them.

use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::support::{Running, Seen, Version, current, events, settle, spawn};
use crate::event::Event;
use crate::processor::{
    AddHandlerError, EventHandler, EventHandlerFuncs, EventStream, HandlerOptions,
    HandlerRegistration, HandlerSyncError, Processor,
};

#[tokio::test(start_paused = true)]
async fn h15_after_the_stop_adding_is_an_error_and_removing_is_not() {
    let mut running = Running::started();
    let seen = Seen::default();
    let options = HandlerOptions::new;
    let processor = running.processor.clone();
    let registration = processor.add(seen.handler(), options(), || None).unwrap();
    running.stop().await;
    registration.remove().await;
    registration.remove().await;

    let late = processor.add(seen.handler(), options(), || {
        panic!("called for a late handler")
    });
    assert_eq!(late.unwrap_err(), AddHandlerError::Stopped);
    let late = processor.stream(options(), || None);
    assert_eq!(late.unwrap_err(), AddHandlerError::Stopped);
    processor.distribute(1, &events("+a@1")).await;
    assert!(processor.is_empty());
}

#[tokio::test(start_paused = true)]
async fn f11_the_run_ends_after_the_call_that_runs_and_drops_what_waits() {
    let mut running = Running::started();
    let seen = Seen::default();
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add(seen.gated(&gate));
    running.distribute(1, "+a@1 +b@1").await;
    seen.until("+a@1").await;
    let removal = {
        let registration = registration.clone();
        spawn(async move { registration.remove().await })
    };
    running.cancel();
    settle().await;
    assert!(!running.has_ended() && !removal.is_finished());

    gate.add_permits(10);
    running.stop().await;
    removal.await.unwrap();
    assert_eq!(seen.text(), "+a@1");
}

/// H-16: handlers that were added before the start are called from the start on.
#[tokio::test(start_paused = true)]
async fn h16_handlers_wait_for_the_start() {
    let mut running = Running::created();
    let seen = Seen::default();
    running.add(seen.handler());
    running.distribute(1, "+a@1").await;
    settle().await;
    assert_eq!(seen.text(), "");
    running.start();
    seen.until("+a@1").await;
}

/// F-10: a processor that is dropped without a run, or whose run is dropped, wakes every waiter.
#[tokio::test(start_paused = true)]
async fn f10_a_dropped_processor_wakes_every_waiter() {
    for is_run in [false, true] {
        let processor = Running::created().processor;
        let options = HandlerOptions::new();
        let registration = processor
            .add(Seen::default().handler(), options, || None)
            .unwrap();
        let waiters = [(), ()].map(|()| {
            let registration = registration.clone();
            spawn(async move { registration.wait_for_sync().await })
        });
        if is_run {
            let run = spawn(processor.run(CancellationToken::new()));
            settle().await;
            run.abort();
            assert!(run.await.is_err());
        }
        drop(processor);
        for waiter in waiters {
            assert_eq!(waiter.await.unwrap(), Err(HandlerSyncError::Stopped));
        }
        registration.remove().await;
    }
}

/// Handler that panics when it is dropped.
struct Grenade;

impl EventHandler<Version> for Grenade {
    async fn on_event(&mut self, _: Event<Version>) {}
}

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[tokio::test(start_paused = true)]
async fn e15_a_handler_that_panics_when_dropped_harms_nobody() {
    let mut running = Running::started();
    let seen = Seen::default();
    let options = HandlerOptions::new;
    let processor = running.processor.clone();
    let grenade = processor.add(Grenade, options(), || None).unwrap();
    let other = processor
        .add(seen.handler(), options(), || current(0, "", true))
        .unwrap();
    other.wait_for_sync().await.unwrap();
    grenade.remove().await;
    processor.distribute(1, &events("+a@1")).await;
    seen.until("+a@1").await;
    running.stop().await;
}

/// Users keep these types in their own tasks and structs.
#[test]
fn handles_can_be_sent_and_shared() {
    fn is_send<T: Send + 'static>() {}
    fn is_shared<T: Clone + Send + Sync + Unpin + 'static>() {}
    is_shared::<Processor>();
    is_shared::<HandlerRegistration>();
    is_send::<EventStream<Version>>();
    is_send::<EventHandlerFuncs<Version>>();
}
