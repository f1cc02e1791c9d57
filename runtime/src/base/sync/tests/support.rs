//! An informer without a reflector.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use shuttle::future::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::base::sync::Mutex;
use crate::delta_fifo::{Delta, DeltaFifo, Listed, Order, Removed, Replacement};
use crate::event::{Event, Origin};
use crate::indexer::Indexer;
use crate::object::{Footprint, ObjectKey, ResourceVersion, Scope};
use crate::processor::{
    AddHandlerError, Current, EventHandler, HandlerOptions, HandlerRegistration, Processor,
};
use crate::shared_informer::controller::FirstLists;
use crate::shared_informer::controller::{Controller, SnapshotReplay};
use crate::status::{Metrics, StatusCell};
use crate::storage::Entry;
use informer_test_harness::schedules::spawn;

pub(super) fn key(name: &str) -> ObjectKey {
    ObjectKey::cluster(name)
}

/// Returns an entry whose object is its version.
pub(super) fn entry(name: &str, version: u64) -> Entry {
    Entry {
        key: key(name),
        uid: None,
        resource_version: self::version(version),
        footprint: Footprint::default(),
        object: Arc::new(version),
    }
}

pub(super) fn version(number: u64) -> ResourceVersion {
    ResourceVersion::new(&number.to_string())
}

// --- deltas ---

pub(super) fn put(name: &str, version: u64) -> Delta {
    Delta::Updated(entry(name, version).into())
}

pub(super) fn delete(name: &str, version: u64) -> Delta {
    Delta::Deleted(Removed {
        key: key(name),
        uid: None,
        resource_version: self::version(version),
        object: Some(entry(name, version).into()),
        final_state_unknown: false,
        is_filtered: false,
    })
}

pub(super) fn list(version: u64, items: &[(&str, u64)]) -> Delta {
    let items = items.iter();
    Delta::ReplacedAll(Replacement {
        namespace: None,
        items: items
            .map(|(name, version)| Listed::Changed(entry(name, *version).into()))
            .collect(),
        resource_version: self::version(version),
        part: None,
    })
}

// --- an informer whose deltas the test pushes ---

/// Queue, store and handlers, with the tasks that run them.
pub(super) struct Rig {
    pub(super) fifo: DeltaFifo,
    pub(super) indexer: Indexer<u64>,
    pub(super) processor: Processor,
    pub(super) cancel: CancellationToken,
    controller: JoinHandle<()>,
    handlers: JoinHandle<()>,
}

impl Rig {
    pub(super) fn start(order: Order, capacity: usize) -> Self {
        let indexer = Indexer::new(Scope::Cluster);
        let fifo = DeltaFifo::new(order, capacity, Arc::new((*indexer).clone()));
        let processor = Processor::new("things", Duration::ZERO);
        let cancel = CancellationToken::new();
        let controller = Controller {
            began: tokio::time::Instant::now(),
            name: "checked".into(),
            mirror: None,
            coverage: Arc::default(),
            first_lists: FirstLists::new(vec![None]),
            fifo: fifo.clone(),
            store: (*indexer).clone(),
            processor: processor.clone(),
            status: Arc::new(StatusCell::of([None])),
            metrics: Arc::new(Metrics::default()),
        };
        let running = processor.run(cancel.clone());
        Self {
            controller: spawn(controller.run(cancel.clone())),
            handlers: spawn(running),
            fifo,
            indexer,
            processor,
            cancel,
        }
    }

    /// Adds a handler as an informer does.
    pub(super) fn add(
        &self,
        handler: impl EventHandler<u64>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let indexer = self.indexer.clone();
        self.processor
            .add_of_objects(handler, options, move || Some(current(&indexer)))
    }

    /// Pushes deltas from a task of its own, which ends when all deltas are pushed or the queue is
    /// closed.
    pub(super) fn feed(&self, deltas: Vec<Delta>) -> JoinHandle<()> {
        let fifo = self.fifo.clone();
        spawn(async move {
            for delta in deltas {
                if fifo.push(delta).await.is_err() {
                    return;
                }
            }
        })
    }

    /// Waits until the store has reached this version.
    pub(super) async fn at(&self, version: u64) {
        self.indexer
            .wait_for_in("", &self::version(version))
            .await
            .unwrap();
    }

    pub(super) async fn stop(self) {
        self.cancel.cancel();
        self.fifo.close();
        self.controller.await.unwrap();
        self.handlers.await.unwrap();
    }
}

pub(super) fn current(indexer: &Indexer<u64>) -> Current {
    SnapshotReplay::current(indexer.state())
}

// --- the state that a handler derives from its notifications ---

/// State of the objects according to the notifications; clones share it.
#[derive(Clone)]
pub(super) struct View(Arc<Shared>);

struct Shared {
    told: Mutex<Told>,
    changed: tokio::sync::Notify,
}

#[derive(Default)]
struct Told {
    objects: BTreeMap<ObjectKey, u64>,
    illegal: Option<String>,
    calls: usize,
    is_closed: bool,
}

impl View {
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared {
            told: Mutex::new(Told::default()),
            changed: tokio::sync::Notify::new(),
        }))
    }

    pub(super) fn handler(&self) -> impl EventHandler<u64> + use<> {
        let view = self.clone();
        move |event: Event<u64>| view.note(&event)
    }

    pub(super) fn note(&self, event: &Event<u64>) {
        self.0.told.lock().note(event);
        self.0.changed.notify_waiters();
    }

    /// Marks any later call as illegal.
    pub(super) fn close(&self) {
        self.0.told.lock().is_closed = true;
    }

    pub(super) fn calls(&self) -> usize {
        self.0.told.lock().calls
    }

    pub(super) fn text(&self) -> String {
        let seen = self.0.told.lock();
        assert_eq!(seen.illegal, None);
        text(&seen.objects)
    }

    /// Waits until the notifications have led to exactly these objects.
    pub(super) async fn becomes(&self, objects: &str) {
        loop {
            let changed = self.0.changed.notified();
            if self.text() == objects {
                return;
            }
            changed.await;
        }
    }

    pub(super) fn check(&self) {
        self.text();
    }
}

impl Told {
    fn note(&mut self, event: &Event<u64>) {
        self.calls += 1;
        let known = self.objects.get(event.key()).copied();
        let is_legal = match event {
            Event::Added(_) => known.is_none(),
            Event::Updated(updated) => {
                let is_resync = updated.origin == Origin::Resync;
                known == Some(*updated.old)
                    && updated.new >= updated.old
                    && is_resync == (updated.new == updated.old)
            }
            Event::Deleted(_) => known.is_some(),
        };
        if self.is_closed || !is_legal {
            let when = if self.is_closed { ", closed" } else { "" };
            let illegal = format!("{event:?} after {}{when}", text(&self.objects));
            self.illegal.get_or_insert(illegal);
        }
        match event {
            Event::Deleted(_) => self.objects.remove(event.key()),
            Event::Added(_) | Event::Updated(_) => {
                self.objects.insert(event.key().clone(), **event.object())
            }
        };
    }
}

fn text(objects: &BTreeMap<ObjectKey, u64>) -> String {
    let texts: Vec<String> = objects
        .iter()
        .map(|(key, version)| format!("{key}@{version}"))
        .collect();
    texts.join(" ")
}
