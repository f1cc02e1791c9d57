//! Sync of a registration, and its handling of panics.

use std::future::Future;
use std::sync::Arc;

use tokio::sync::Semaphore;

use super::support::{Log, Running, Version, current, event, settle, spawn};
use crate::event::Event;
use crate::logged;
use crate::processor::{EventHandler, HandlerOptions, HandlerRegistration, HandlerSyncError};

/// H-07, F-08: with two waiters.
#[tokio::test(start_paused = true)]
async fn h07_a_registration_is_synced_when_its_last_initial_add_has_returned() {
    let running = Running::started();
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add(seen.gated(&gate));
    let waiters = [(), ()].map(|()| {
        let registration = registration.clone();
        spawn(async move { registration.wait_for_sync().await })
    });
    running.distribute(1, "i+a@1 i+b@1").await;
    running.processor.mark_synced();
    gate.add_permits(1);
    seen.until("i+a@1 i+b@1").await;
    settle().await;
    assert!(!registration.has_synced(), "the second call still runs");

    gate.add_permits(1);
    for waiter in waiters {
        assert_eq!(waiter.await.unwrap(), Ok(()));
    }
    assert!(registration.has_synced());
}

/// H-07: late handlers sync, before and after the informer's own sync, with and without objects.
#[tokio::test(start_paused = true)]
async fn h07_late_handlers_sync_after_their_replay() {
    let running = Running::started();
    let add = |objects: &'static str, synced| {
        let seen = Log::default();
        let options = HandlerOptions::new();
        let current = move || current(1, objects, synced);
        let added = running.processor.add(seen.clone(), options, current);
        (seen, added.unwrap())
    };
    let (_, early) = add("a@1", false);
    let (with, with_registration) = add("a@1", true);
    let (_, empty) = add("", true);
    assert_eq!(with_registration.wait_for_sync().await, Ok(()));
    assert_eq!(with.text(), "i+a@1");
    assert_eq!(empty.wait_for_sync().await, Ok(()));
    settle().await;
    assert!(!early.has_synced());

    running.processor.mark_synced();
    assert_eq!(early.wait_for_sync().await, Ok(()));
    let (_, after) = add("a@1", false);
    assert_eq!(
        after.wait_for_sync().await,
        Ok(()),
        "the mark is remembered"
    );
}

/// H-07, F-10, C-12.
#[tokio::test(start_paused = true)]
async fn h07_waiting_ends_with_its_cause_when_there_is_nothing_to_wait_for() {
    let mut running = Running::started();
    let add = || running.add(Log::default());
    let (removed, stopped) = (add(), add());
    let synced = running
        .processor
        .add(Log::default(), HandlerOptions::new(), || {
            current(0, "", true)
        })
        .unwrap();
    let wait = |registration: &HandlerRegistration| {
        let registration = registration.clone();
        spawn(async move { registration.wait_for_sync().await })
    };
    let waiters = [
        (wait(&removed), HandlerSyncError::Removed),
        (wait(&removed), HandlerSyncError::Removed),
        (wait(&stopped), HandlerSyncError::Stopped),
        (wait(&stopped), HandlerSyncError::Stopped),
    ];
    assert_eq!(synced.wait_for_sync().await, Ok(()));
    removed.remove().await;
    running.stop().await;
    for (waiter, reason) in waiters {
        assert_eq!(waiter.await.unwrap(), Err(reason));
    }
    running.processor.mark_synced();
    assert!(!stopped.has_synced() && !removed.has_synced());
    assert_eq!(synced.wait_for_sync().await, Ok(()));
}

/// Panics before it returns a future, and inside of the future.
struct Panicking(Log);

impl EventHandler<Version> for Panicking {
    fn on_event(&mut self, event: Event<Version>) -> impl Future<Output = ()> + Send {
        self.0.push(&event);
        assert_ne!(event.key().name(), "a", "the secret of a");
        async move {
            tokio::task::yield_now().await;
            assert_ne!(**event.object(), *"1", "the secret of version 1");
        }
    }
}

/// H-09, E-15, W-20.
#[tokio::test(start_paused = true)]
async fn h09_a_panic_costs_one_call_and_the_registration_still_syncs() {
    let running = Running::started();
    let (seen, other) = (Log::default(), Log::default());
    let panicking = Panicking(seen.clone());
    let log = logged::capture(module_path!());
    let options = HandlerOptions::new().name("audit");
    let registration = running.add_with(panicking, options);
    let unaffected = running.add(other.clone());
    running.distribute(1, "i+a@1 i+b@1").await;
    running.processor.mark_synced();
    running.processor.distribute(2, vec![event("~b@1>2")]).await;

    assert_eq!(registration.wait_for_sync().await, Ok(()));
    assert_eq!(unaffected.wait_for_sync().await, Ok(()));
    seen.until("i+a@1 i+b@1 ~b@1>2").await;
    other.until("i+a@1 i+b@1 ~b@1>2").await;
    settle().await;
    assert_eq!(registration.stats().panics, 2);
    assert_eq!(registration.stats().delivered, 3);
    assert_eq!(unaffected.stats().panics, 0);
    let lines = log.text();
    assert_eq!(lines.matches("handler=audit").count(), 2, "{lines}");
    assert!(lines.contains("ERROR") && lines.contains("informer=things.v1"));
    assert!(!lines.contains("secret"), "{lines}");
}

/// H-09: the lines about a handler that always panics are bounded.
#[tokio::test(start_paused = true)]
async fn h09_ten_panics_a_minute_are_logged_and_all_are_counted() {
    let running = Running::started();
    let log = logged::capture(module_path!());
    let broken = |_: Event<Version>| panic!("broken");
    let registration = running.add_with(broken, HandlerOptions::new().name("broken"));
    for generation in 1..=15 {
        let update = vec![event("~a@1>2")];
        running.processor.distribute(generation, update).await;
    }
    settle().await;
    assert_eq!(registration.stats().panics, 15);
    assert_eq!(log.text().matches("handler=broken").count(), 10);
}
