//! Many handlers that are added and removed under load, on several threads.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use super::support::{Running, Version, Versions, View, event, spawn};
use crate::event::Event;
use crate::object::ObjectKey;
use crate::processor::{Current, HandlerOptions, HandlerRegistration, WhenFull};

const EVENTS: u64 = 10_000;
const KEYS: u64 = 20;

/// Objects of the controller's store, and the generation of the last batch.
#[derive(Default)]
struct Store {
    generation: u64,
    objects: View,
}

/// View of one handler, and the errors that it found.
#[derive(Default)]
struct Witness {
    view: Mutex<View>,
    errors: Mutex<Vec<String>>,
    is_removed: AtomicBool,
}

impl Witness {
    fn see(&self, event: &Event<Version>) {
        if self.is_removed.load(Ordering::SeqCst) {
            self.errors.lock().push("a call after removal".to_owned());
        }
        if let Err(error) = self.view.lock().apply(event) {
            self.errors.lock().push(error);
        }
    }
}

fn add(
    processor: &Versions,
    store: &Arc<Mutex<Store>>,
    when_full: WhenFull,
) -> (Arc<Witness>, HandlerRegistration) {
    let witness = Arc::new(Witness::default());
    let handler = {
        let witness = witness.clone();
        move |event: Event<Version>| witness.see(&event)
    };
    let options = HandlerOptions::new()
        .capacity(NonZeroUsize::new(4).unwrap())
        .when_full(when_full);
    let current = || {
        let store = store.lock();
        Some(Current {
            generation: store.generation,
            replay: store.objects.replay(),
            synced: false,
        })
    };
    let registration = processor.add(handler, options, current).unwrap();
    (witness, registration)
}

/// Adds and removes handlers while `turns` has permits. Returns the number of handlers.
async fn visit(
    processor: Versions,
    store: Arc<Mutex<Store>>,
    turns: Arc<Semaphore>,
    when_full: WhenFull,
) -> usize {
    let mut visits = 0;
    while let Ok(turn) = turns.acquire().await {
        turn.forget();
        let (witness, registration) = add(&processor, &store, when_full);
        if let Ok(turn) = turns.acquire().await {
            turn.forget();
        }
        registration.remove().await;
        witness.is_removed.store(true, Ordering::SeqCst);
        tokio::task::yield_now().await;
        assert_eq!(*witness.errors.lock(), [""; 0]);
        visits += 1;
    }
    visits
}

/// Makes one change of the store, and then distributes it.
async fn change(processor: &Versions, store: &Mutex<Store>, generation: u64) {
    let key = format!("k{}", fastrand::u64(..KEYS));
    let change = {
        let mut store = store.lock();
        let change = match store.objects.0.get(&ObjectKey::cluster(&key)) {
            None => event(&format!("+{key}@{generation}")),
            Some(old) if fastrand::bool() => event(&format!("-{key}@{old}")),
            Some(old) => event(&format!("~{key}@{old}>{generation}")),
        };
        store.objects.apply(&change).unwrap();
        store.generation = generation;
        change
    };
    processor.distribute(generation, vec![change]).await;
}

/// H-17, H-16, H-06, H-10, C-13, C-14.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h17_a_hundred_tasks_add_and_remove_handlers_during_ten_thousand_events() {
    let mut running = Running::created();
    let store = Arc::new(Mutex::new(Store::default()));
    let processor = running.processor.clone();
    let residents = [WhenFull::Coalesce, WhenFull::Block].map(|w| add(&processor, &store, w));
    // One permit for each event, so that the visits are spread over all events.
    let turns = Arc::new(Semaphore::new(0));
    let visitors: Vec<_> = (0..100)
        .map(|n| {
            let when_full = [WhenFull::Coalesce, WhenFull::Block][n % 2];
            spawn(visit(
                processor.clone(),
                store.clone(),
                turns.clone(),
                when_full,
            ))
        })
        .collect();
    running.start();
    for generation in 1..=EVENTS {
        change(&processor, &store, generation).await;
        turns.add_permits(1);
    }
    turns.close();
    let mut visits = 0;
    for visitor in visitors {
        visits += visitor.await.unwrap();
    }
    assert!(visits >= 100);

    let late = add(&processor, &store, WhenFull::Coalesce);
    processor.mark_synced();
    for (witness, registration) in residents.iter().chain([&late]) {
        registration.wait_for_sync().await.unwrap();
        assert_eq!(*witness.errors.lock(), [""; 0]);
        assert_eq!(*witness.view.lock(), store.lock().objects);
    }
    assert_eq!(residents[1].1.stats().delivered, EVENTS);
    assert_eq!(processor.handlers().len(), 3);
    running.stop().await;
}
