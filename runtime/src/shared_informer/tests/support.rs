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
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::event::Event;
use crate::object::Object;
use crate::shared_informer::{RunError, SharedInformer};
use crate::source::{FakeControllerSource, ListerWatcher, ScriptedListerWatcher};
use crate::storage::Storage;
use crate::wire::RawObject;

pub(super) const SECOND: Duration = Duration::from_secs(1);

/// Run of an informer that the test ends.
pub(super) struct Running {
    tasks: JoinSet<Result<(), RunError>>,
    cancel: CancellationToken,
}

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

/// Creates a source with these objects.
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

// === impl Running ===

impl Running {
    pub(super) fn start<K: Object, S: Storage<K>>(informer: &SharedInformer<K, S>) -> Self {
        let cancel = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(informer.run(cancel.clone()));
        Self { tasks, cancel }
    }

    /// Starts the informer, and waits until it has synced.
    pub(super) async fn synced<K: Object, S: Storage<K>>(informer: &SharedInformer<K, S>) -> Self {
        let running = Self::start(informer);
        let synced = timeout(600 * SECOND, informer.wait_for_sync()).await;
        synced.expect("the informer syncs in time").unwrap();
        running
    }

    pub(super) fn cancel(&self) {
        self.cancel.cancel();
    }

    pub(super) async fn ended(&mut self) -> Result<(), RunError> {
        self.tasks.join_next().await.unwrap().unwrap()
    }

    pub(super) async fn stop(mut self) {
        self.cancel();
        self.ended().await.unwrap();
    }

    /// Reports whether the run has not ended after all tasks have become idle.
    pub(super) async fn is_running(&mut self) -> bool {
        timeout(SECOND, self.tasks.join_next()).await.is_err()
    }

    /// Aborts the run.
    pub(super) async fn abort(mut self) {
        self.tasks.shutdown().await;
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
