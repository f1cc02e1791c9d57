//! Removal of handlers.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::support::{Log, Running, Version, current, events, settle, spawn};
use crate::event::Event;
use crate::processor::{EventHandler, HandlerOptions, HandlerRegistration};

/// H-10: with two waiters.
#[tokio::test(start_paused = true)]
async fn h10_removal_waits_for_the_call_that_runs_and_drops_what_waits() {
    let running = Running::started();
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add(seen.gated(&gate));
    running.distribute(1, "+a@1 +b@1").await;
    seen.until("+a@1").await;
    let removals = [(), ()].map(|()| {
        let registration = registration.clone();
        spawn(async move { registration.remove().await })
    });
    settle().await;
    assert!(removals.iter().all(|removal| !removal.is_finished()));
    assert!(running.processor.is_empty());

    gate.add_permits(10);
    for removal in removals {
        removal.await.unwrap();
    }
    running.distribute(2, "+c@1").await;
    settle().await;
    assert_eq!(seen.text(), "+a@1");
    assert_eq!(registration.stats().pending, 0);
}

/// H-10: the rest of a replay is dropped too.
#[tokio::test(start_paused = true)]
async fn h10_removal_ends_a_replay() {
    let running = Running::started();
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let late = || current(1, "a@1 b@1 c@1", true);
    let registration = running
        .processor
        .add(seen.gated(&gate), HandlerOptions::new(), late)
        .unwrap();
    seen.until("i+a@1").await;
    let removal = {
        let registration = registration.clone();
        spawn(async move { registration.remove().await })
    };
    settle().await;
    gate.add_permits(10);
    removal.await.unwrap();
    assert_eq!(seen.text(), "i+a@1");
    assert!(!registration.has_synced());
}

#[tokio::test(start_paused = true)]
async fn h11_removing_twice_or_from_another_processor_changes_nothing() {
    let (running, other) = (Running::started(), Running::started());
    let seen = Log::default();
    let add = |running: &Running| running.add(seen.clone());
    let (mine, _theirs) = (add(&running), add(&other));
    mine.remove().await;
    mine.remove().await;
    assert!(running.processor.is_empty());
    assert_eq!(other.processor.handlers().len(), 1);
    other.processor.distribute(1, events("+a@1")).await;
    seen.until("+a@1").await;
}

/// Removes a handler on each notification, and then continues the call.
struct Remover {
    seen: Log,
    registration: HandlerRegistration,
}

impl EventHandler<Version> for Remover {
    async fn on_event(&mut self, event: Event<Version>) {
        self.registration.remove().await;
        self.seen.push(&event);
    }
}

/// H-12: removing another handler from inside a call waits for that handler's call.
#[tokio::test(start_paused = true)]
async fn h12_removing_another_handler_from_inside_a_call_waits_for_it() {
    let running = Running::started();
    let (seen, other) = (Log::default(), Log::default());
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add(other.gated(&gate));
    running.distribute(1, "+a@1").await;
    other.until("+a@1").await;

    running.add(Remover {
        seen: seen.clone(),
        registration,
    });
    running.distribute(2, "+b@1").await;
    settle().await;
    assert_eq!(seen.text(), "", "the call of the other handler still runs");
    gate.add_permits(1);
    seen.until("+b@1").await;
    assert_eq!(other.text(), "+a@1");
}

#[tokio::test(start_paused = true)]
async fn h13_a_handler_is_removed_from_a_processor_that_never_ran() {
    let mut running = Running::created();
    let (dropped, kept) = (Log::default(), Log::default());
    let add = |seen: &Log| {
        let options = HandlerOptions::new();
        running
            .processor
            .add(seen.clone(), options, || current(0, "a@1", true))
            .unwrap()
    };
    let (removed, _kept) = (add(&dropped), add(&kept));
    removed.remove().await;
    running.start();
    kept.until("i+a@1").await;
    assert_eq!(dropped.text(), "");
}

#[tokio::test(start_paused = true)]
async fn h18_dropping_a_registration_keeps_its_handler() {
    let running = Running::started();
    let seen = Log::default();
    drop(running.add(seen.clone()));
    running.distribute(1, "+a@1").await;
    seen.until("+a@1").await;
}
