//! Handler that checks its notifications, and records the first illegal one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use informer_runtime::processor::{EventStream, HandlerRegistration, async_handler};
use informer_runtime::{Event, ObjectKey, Origin, SharedInformer, Snapshot};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::case::Kind;

pub(crate) type Informer = SharedInformer<ConfigMap>;

/// Virtual time that exceeds every wait.
pub(crate) const EVER: Duration = Duration::from_secs(24 * 60 * 60);

/// Numbers of occurrences, by name. They show that the faults of the model take effect.
#[derive(Debug, Default, Clone)]
pub(crate) struct Counts(BTreeMap<String, u64>);

/// Handler or stream, with the state of its notifications.
pub(crate) struct Listener {
    name: String,
    kind: Kind,
    pub(crate) registration: HandlerRegistration,
    view: Arc<Mutex<View>>,
    /// Drops the stream, if the listener is one.
    cancel: CancellationToken,
}

/// State of the objects according to the notifications.
struct View {
    objects: BTreeMap<ObjectKey, Arc<ConfigMap>>,
    deleted: BTreeMap<ObjectKey, Arc<ConfigMap>>,
    /// Generation of the newest snapshot that a call has read.
    generation: u64,
    /// `true` if the server may go back, so that versions do not order in time.
    rewinds: bool,
    illegal: Option<String>,
    is_removed: bool,
    counts: Counts,
}

// === impl Listener ===

impl Listener {
    /// Adds a handler; `None` if the informer has stopped.
    pub(crate) fn join(
        informer: &Informer,
        name: String,
        kind: Kind,
        rewinds: bool,
        consumers: &mut JoinSet<()>,
    ) -> Option<Self> {
        let view = Arc::new(Mutex::new(View::new(rewinds)));
        let (seen, reader) = (Arc::clone(&view), informer.clone());
        let note = move |event| seen.lock().note(&event, &reader.snapshot());
        let cancel = CancellationToken::new();
        let delay = Duration::from_millis(kind.delay.into());
        let options = kind.options().name(name.clone());
        let registration = if kind.is_stream {
            let stream = informer.events(options).ok()?;
            let registration = stream.registration().clone();
            consumers.spawn(consume(stream, cancel.clone(), delay, note));
            registration
        } else if kind.delay == 0 {
            informer.add_event_handler_with(note, options).ok()?
        } else {
            let note = Arc::new(note);
            let handler = async_handler(move |event| {
                let note = Arc::clone(&note);
                async move {
                    sleep(delay).await;
                    note(event);
                }
            });
            informer.add_event_handler_with(handler, options).ok()?
        };
        Some(Self {
            name,
            kind,
            registration,
            view,
            cancel,
        })
    }

    /// Removes the handler. After that it must not be called.
    pub(crate) async fn leave(&self) -> Result<(), String> {
        if self.kind.is_stream && self.kind.delay.is_multiple_of(2) {
            self.cancel.cancel();
        }
        let removed = timeout(EVER, self.registration.remove()).await;
        removed.map_err(|_| format!("{}: removal does not complete", self.name))?;
        self.stop();
        self.view.lock().counts.add("removed", 1);
        Ok(())
    }

    /// Marks that the handler must not be called any more.
    pub(crate) fn stop(&self) {
        self.view.lock().is_removed = true;
    }

    /// Returns the first illegal notification, if any.
    pub(crate) fn check(&self) -> Result<(), String> {
        let illegal = self.view.lock().illegal.clone();
        illegal.map_or(Ok(()), |illegal| Err(format!("{}: {illegal}", self.name)))
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = self.view.lock().counts.clone();
        counts.add("coalesced", self.registration.stats().coalesced);
        counts
    }

    /// Returns the difference between the notifications and the cache.
    pub(crate) fn difference(&self, snapshot: &Snapshot<ConfigMap>) -> Option<String> {
        if !self.registration.has_synced() {
            return Some(format!("{} has not synced", self.name));
        }
        let view = self.view.lock();
        let is_equal = view.objects.len() == snapshot.len()
            && snapshot.entries().all(|entry| {
                let known = view.objects.get(&entry.key);
                let cached = entry.object();
                known.is_some_and(|known| cached.is_some_and(|cached| Arc::ptr_eq(known, &cached)))
            });
        (!is_equal).then(|| {
            let notified: Vec<String> = view.objects.values().map(|object| text(object)).collect();
            let cached: Vec<String> = snapshot.iter().map(text).collect();
            format!(
                "{} has the notified state {notified:?}, the cache has {cached:?}",
                self.name
            )
        })
    }
}

async fn consume(
    mut stream: EventStream<ConfigMap>,
    cancel: CancellationToken,
    delay: Duration,
    note: impl Fn(Event<ConfigMap>) + Send,
) {
    while let Some(Some(event)) = cancel.run_until_cancelled(stream.next()).await {
        note(event);
        sleep(delay).await;
    }
}

// === impl View ===

impl View {
    fn new(rewinds: bool) -> Self {
        Self {
            objects: BTreeMap::new(),
            deleted: BTreeMap::new(),
            generation: 0,
            rewinds,
            illegal: None,
            is_removed: false,
            counts: Counts::default(),
        }
    }

    fn note(&mut self, event: &Event<ConfigMap>, cache: &Snapshot<ConfigMap>) {
        if let Err(illegal) = self.follow(event, cache) {
            self.illegal.get_or_insert(format!("{illegal}: {event:?}"));
        }
    }

    fn follow(
        &mut self,
        event: &Event<ConfigMap>,
        cache: &Snapshot<ConfigMap>,
    ) -> Result<(), &'static str> {
        if self.is_removed {
            return Err("called after its removal");
        }
        if cache.generation() < self.generation {
            return Err("the cache went back");
        }
        self.generation = cache.generation();
        self.counts.add(&event.origin().to_string(), 1);
        if !self.rewinds
            && let Some(cached) = cache.get(event.key())
            && version(&cached) < version(event.object())
        {
            return Err("notified before the cache has the object");
        }
        let known = self.objects.get(event.key());
        match event {
            Event::Added(added) => {
                if known.is_some() {
                    return Err("an add of a known object");
                }
                let deleted = self.deleted.remove(&added.key);
                if deleted.is_some_and(|deleted| deleted.metadata.uid != added.object.metadata.uid)
                {
                    self.counts.add("recreation", 1);
                }
                self.objects
                    .insert(added.key.clone(), Arc::clone(&added.object));
            }
            Event::Updated(updated) => {
                let known = known.ok_or("an update of an unknown object")?;
                if !Arc::ptr_eq(known, &updated.old) {
                    return Err("an update with a wrong old object");
                }
                if updated.old.metadata.uid != updated.new.metadata.uid {
                    return Err("an update to another uid");
                }
                let is_same = Arc::ptr_eq(&updated.old, &updated.new);
                if is_same && updated.origin == Origin::Live {
                    return Err("an update without a change");
                }
                if !is_same && updated.origin == Origin::Resync {
                    return Err("a resync with a change");
                }
                if !self.rewinds && version(&updated.new) < version(&updated.old) {
                    return Err("an update to an older version");
                }
                self.objects
                    .insert(updated.key.clone(), Arc::clone(&updated.new));
            }
            Event::Deleted(deleted) => {
                let known = known.ok_or("a deletion of an unknown object")?;
                if known.metadata.uid != deleted.object.metadata.uid {
                    return Err("a deletion of another uid");
                }
                if deleted.origin == Origin::Filter && deleted.final_state_unknown {
                    return Err("an object that left the filter unseen");
                }
                if deleted.final_state_unknown {
                    self.counts.add("tombstone", 1);
                }
                self.objects.remove(&deleted.key);
                self.deleted
                    .insert(deleted.key.clone(), Arc::clone(&deleted.object));
            }
        }
        Ok(())
    }
}

fn version(object: &ConfigMap) -> Option<u64> {
    object.metadata.resource_version.as_deref()?.parse().ok()
}

fn text(object: &ConfigMap) -> String {
    let metadata = &object.metadata;
    let name = metadata.name.as_deref().unwrap_or_default();
    let uid = metadata.uid.as_deref().unwrap_or_default();
    let version = metadata.resource_version.as_deref().unwrap_or_default();
    format!("{name}/{uid}@{version}")
}

// === impl Counts ===

impl Counts {
    pub(crate) fn get(&self, name: &str) -> u64 {
        self.0.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn add(&mut self, name: &str, number: u64) {
        *self.0.entry(name.to_owned()).or_default() += number;
    }

    pub(crate) fn add_all(&mut self, other: &Self) {
        for (name, number) in &other.0 {
            self.add(name, *number);
        }
    }
}
