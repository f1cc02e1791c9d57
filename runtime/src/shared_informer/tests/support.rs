//! Support for tests: running informers, and events of handlers as text, such as `add ns/a=1
//! initial`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::event::Event;
pub(super) use crate::reflector::tests::world::Running;
use crate::shared_informer::SharedInformer;
use crate::source::{FakeControllerSource, ListerWatcher, ScriptedListerWatcher};
use crate::wire::RawObject;

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// Events of a handler, in order.
pub(super) struct Seen(mpsc::Receiver<String>);

/// Future that is polled once by hand, and then only woken.
pub(super) struct Waiter<F> {
    future: Pin<Box<F>>,
    wakes: Arc<Wakes>,
}

struct Wakes(AtomicUsize);

/// Returns a `ConfigMap` with this value.
pub(super) fn config(name: &str, value: &str) -> Value {
    let metadata = json!({"namespace": "ns", "name": name, "labels": {"value": value}});
    json!({"metadata": metadata, "data": {"value": value}})
}

/// Returns a `ConfigMap` that cannot be decoded.
pub(super) fn broken(name: &str) -> Value {
    json!({"metadata": {"namespace": "ns", "name": name}, "data": "no map"})
}

pub(super) fn raw(mut object: Value, version: &str) -> RawObject {
    object["metadata"]["resourceVersion"] = version.into();
    RawObject::from_value(&object).unwrap()
}

/// Returns the value that was passed to [`config`].
pub(super) fn value(object: &ConfigMap) -> String {
    let data = object.data.as_ref();
    data.and_then(|data| data.get("value").cloned())
        .unwrap_or_else(|| "-".to_owned())
}

pub(super) fn informer(source: impl ListerWatcher) -> SharedInformer<ConfigMap> {
    SharedInformer::builder(source).build().unwrap()
}

pub(super) fn source_with(names: &[&str]) -> FakeControllerSource {
    let source = FakeControllerSource::new();
    for name in names {
        source.add(&config(name, "1")).unwrap();
    }
    source
}

/// Creates a scripted source for LIST and WATCH, without streaming lists.
pub(super) fn script() -> ScriptedListerWatcher {
    let source = ScriptedListerWatcher::new();
    source.set_supports_watch_list(false);
    source
}

/// Creates a handler that records its events.
pub(super) fn recorder() -> (impl FnMut(Event<ConfigMap>) + Send + 'static, Seen) {
    let (sender, receiver) = mpsc::channel(4096);
    let handler = move |event: Event<ConfigMap>| {
        sender.try_send(print(&event)).unwrap();
    };
    (handler, Seen(receiver))
}

fn print(event: &Event<ConfigMap>) -> String {
    let origin = event.origin();
    match event {
        Event::Added(added) => format!("add {}={} {origin}", added.key, value(&added.object)),
        Event::Updated(updated) => {
            let (old, new) = (value(&updated.old), value(&updated.new));
            format!("update {}={old}>{new} {origin}", updated.key)
        }
        Event::Deleted(deleted) => {
            let unknown = if deleted.final_state_unknown { "?" } else { "" };
            let last = value(&deleted.object);
            format!("delete {}={last}{unknown} {origin}", deleted.key)
        }
    }
}

// === impl Seen ===

impl Seen {
    pub(super) async fn next(&mut self) -> String {
        let next = timeout(600 * SECOND, self.0.recv()).await;
        next.expect("an event arrives in time")
            .expect("the handler is registered")
    }

    pub(super) async fn take(&mut self, count: usize) -> Vec<String> {
        let mut taken = Vec::new();
        for _ in 0..count {
            taken.push(self.next().await);
        }
        taken
    }

    /// Returns the events within this time.
    pub(super) async fn within(&mut self, time: Duration) -> Vec<String> {
        let mut taken = Vec::new();
        let _elapsed = timeout(time, async {
            while let Some(next) = self.0.recv().await {
                taken.push(next);
            }
        })
        .await;
        taken
    }
}

// === impl Waiter ===

impl<F: Future> Waiter<F> {
    /// Polls the future once, and expects it to be pending.
    pub(super) fn new(future: F) -> Self {
        let mut waiter = Self {
            future: Box::pin(future),
            wakes: Arc::new(Wakes(AtomicUsize::new(0))),
        };
        assert!(waiter.poll().is_pending());
        waiter
    }

    pub(super) fn poll(&mut self) -> Poll<F::Output> {
        let waker = Waker::from(Arc::clone(&self.wakes));
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }

    pub(super) fn is_woken(&self) -> bool {
        self.wakes.0.load(Ordering::SeqCst) > 0
    }
}

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
