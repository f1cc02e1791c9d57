//! Shared parts of the tests: a server with a client, objects, and recording handlers.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use informer::factory::SharedInformerFactoryBuilder;
use informer::source::{Encoding, ErrorHandler, ExponentialBackoff};
use informer::{
    Event, EventHandler, GenericInformer, InformerConfig, Object, ObjectKey, ReflectorError,
    SharedInformer, SharedInformerFactory, WatchListMode,
};
use informer_apiserver::{ApiServer, Control};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;

/// Maximum duration of a wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// Both initial list modes.
pub(crate) const MODES: [WatchListMode; 2] = [WatchListMode::Auto, WatchListMode::Never];

/// Both encodings of built-in types.
pub(crate) const ENCODINGS: [Encoding; 2] = [Encoding::Json, Encoding::Protobuf];

/// Waits for a future. Panics after the maximum duration, and names the condition.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(PATIENCE, future).await;
    waited.unwrap_or_else(|_| panic!("after {PATIENCE:?} still waiting for: {what}"))
}

/// Starts a factory, and waits until its informers have synced.
pub(crate) async fn sync(factory: &SharedInformerFactory) {
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
}

/// Waits for a state of informers of any types. Evaluates `condition` now, and after each change of
/// an informer.
pub(crate) async fn until_any_changed(
    what: &str,
    informers: impl IntoIterator<Item = &GenericInformer>,
    condition: impl Fn() -> bool,
) {
    let (sender, mut changes) = watch::channel(());
    let sender = Arc::new(sender);
    let mut registrations = Vec::new();
    for informer in informers {
        let sender = sender.clone();
        let note = move |_: &ObjectKey| sender.send_replace(());
        registrations.push(informer.on_change(note).unwrap());
    }
    let waiting = async {
        while !condition() {
            changes.changed().await.unwrap();
        }
    };
    within(what, waiting).await;
}

/// Returns the first difference between an object from protobuf and the same object in JSON.
/// Ignores empty members: Go writes them, and the author of the JSON may have omitted them.
pub(crate) fn difference(json: &Value, protobuf: &Value) -> Option<String> {
    match (json, protobuf) {
        (Value::Object(json), Value::Object(protobuf)) => {
            let names = json.keys().chain(protobuf.keys());
            names.into_iter().find_map(|name| {
                let found = match (json.get(name), protobuf.get(name)) {
                    (None | Some(Value::Null), Some(more)) if is_empty(more) => return None,
                    (Some(json), Some(protobuf)) => difference(json, protobuf)?,
                    (Some(Value::Null), None) => return None,
                    // An object inside another object has no type in protobuf.
                    (Some(_), None) if matches!(&**name, "apiVersion" | "kind") => return None,
                    (json, protobuf) => format!(": {json:?} is not {protobuf:?}"),
                };
                Some(format!(".{name}{found}"))
            })
        }
        (Value::Array(json), Value::Array(protobuf)) if json.len() == protobuf.len() => {
            let mut pairs = json.iter().zip(protobuf).enumerate();
            pairs.find_map(|(at, (json, protobuf))| {
                difference(json, protobuf).map(|found| format!("[{at}]{found}"))
            })
        }
        (Value::Number(json), Value::Number(protobuf)) if json.as_f64() == protobuf.as_f64() => {
            None
        }
        (json, protobuf) if json == protobuf => None,
        (json, protobuf) => Some(format!(": {json} is not {protobuf}")),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(values) => values.is_empty(),
        Value::Object(members) => members.values().all(is_empty),
    }
}

/// Server with a client that reports all errors.
pub(crate) struct Cluster {
    /// Encoding that the factories request. `None` means the informers' default.
    encoding: Option<Encoding>,
    pub(crate) server: ApiServer,
    pub(crate) control: Control,
    pub(crate) client: Client,
}

// === impl Cluster ===

impl Cluster {
    pub(crate) async fn start() -> Self {
        Self::with(ApiServer::builder()).await
    }

    /// Starts a cluster whose factories request this encoding.
    pub(crate) async fn start_in(encoding: Encoding) -> Self {
        Self::with(ApiServer::builder()).await.speaking(encoding)
    }

    /// Sets the encoding that the factories request.
    pub(crate) fn speaking(mut self, encoding: Encoding) -> Self {
        self.encoding = Some(encoding);
        self
    }

    pub(crate) async fn with(builder: informer_apiserver::Builder) -> Self {
        let server = builder.create_namespaces(true).start().await.unwrap();
        Self {
            encoding: None,
            control: server.control(),
            client: informer::connect(server.kube_config()).unwrap(),
            server,
        }
    }

    /// Returns a factory whose informers retry immediately.
    pub(crate) fn factory(&self) -> SharedInformerFactory {
        self.builder().build().unwrap()
    }

    /// Returns such a factory with an initial list mode.
    pub(crate) fn factory_in(&self, mode: WatchListMode) -> SharedInformerFactory {
        let config = quick().watch_list(mode);
        self.builder().config(config).build().unwrap()
    }

    pub(crate) fn builder(&self) -> SharedInformerFactoryBuilder {
        let builder = SharedInformerFactory::builder(self.client.clone()).config(quick());
        match self.encoding {
            Some(encoding) => builder.encoding(encoding),
            None => builder,
        }
    }

    /// Creates the config map `name` in `default`, and returns the stored object.
    pub(crate) fn create(&self, name: &str, value: &str) -> Value {
        self.control.create_direct(config_map(name, value)).unwrap()
    }

    pub(crate) fn update(&self, name: &str, value: &str) -> Value {
        self.control.update_direct(config_map(name, value)).unwrap()
    }

    pub(crate) fn delete(&self, name: &str) {
        self.control.delete_direct(&path(name)).unwrap();
    }

    /// Replaces `data` of a stored config map by a value that is not a map of strings.
    pub(crate) fn spoil(&self, mut stored: Value) -> u64 {
        let name = stored["metadata"]["name"].as_str().unwrap().to_owned();
        stored["data"] = json!({ "v": { "secret": "hunter2" } });
        self.control.put_raw(&path(&name), stored).unwrap()
    }
}

/// Returns a configuration that retries after milliseconds.
pub(crate) fn quick() -> InformerConfig {
    InformerConfig::new()
        .backoff(|| ExponentialBackoff::new(Duration::from_millis(1), Duration::from_millis(20)))
}

pub(crate) fn config_map(name: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": "default", "labels": { "app": name } },
        "data": { "v": value },
    })
}

pub(crate) fn path(name: &str) -> String {
    format!("/api/v1/namespaces/default/configmaps/{name}")
}

pub(crate) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("default", name)
}

/// Returns the value that [`config_map`] was given.
pub(crate) fn value(map: &ConfigMap) -> &str {
    &map.data.as_ref().unwrap()["v"]
}

/// Formats the cached objects: `a=1 b=2`.
pub(crate) fn cached(informer: &SharedInformer<ConfigMap>) -> String {
    let snapshot = informer.snapshot();
    let texts = snapshot
        .iter()
        .map(|map| format!("{}={}", map.metadata.name.as_deref().unwrap(), value(map)));
    texts.collect::<Vec<_>>().join(" ")
}

/// Waits until [`cached`] equals `expected`.
pub(crate) async fn until_cached(informer: &SharedInformer<ConfigMap>, expected: &str) {
    let seen = {
        let informer = informer.clone();
        let expected = expected.to_owned();
        let wait = informer
            .clone()
            .indexer()
            .wait_until(move |_| cached(&informer) == expected);
        tokio::time::timeout(PATIENCE, wait).await.is_ok()
    };
    assert!(
        seen,
        "`{expected}` expected, cached is `{}`",
        cached(informer)
    );
}

/// Formats an error with its causes.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let _ = write!(text, ": {cause}");
        next = cause.source();
    }
    text
}

/// Returns the first cause of `error` that is a `T`.
pub(crate) fn cause_of<'e, T: Error + 'static>(error: &'e (dyn Error + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref::<T>() {
            return Some(found);
        }
        next = cause.source();
    }
    None
}

// === recorded events ===

/// Recorder of a handler's events. Clones share their notes.
pub(crate) struct Recorder<K> {
    shared: Arc<Shared<K>>,
}

struct Shared<K> {
    notes: Mutex<Notes<K>>,
    changed: watch::Sender<()>,
}

/// Events of a handler, and their replayed result.
pub(crate) struct Notes<K> {
    /// Events such as `add default/a initial`, in order.
    pub(crate) events: Vec<String>,
    /// Objects after the replayed events.
    pub(crate) objects: BTreeMap<ObjectKey, Arc<K>>,
    /// Events that contradict earlier events.
    pub(crate) illegal: Vec<String>,
}

// === impl Recorder ===

impl<K: Object> Recorder<K> {
    pub(crate) fn new() -> Self {
        let notes = Notes {
            events: Vec::new(),
            objects: BTreeMap::new(),
            illegal: Vec::new(),
        };
        Self {
            shared: Arc::new(Shared {
                notes: Mutex::new(notes),
                changed: watch::Sender::new(()),
            }),
        }
    }

    pub(crate) fn handler(&self) -> impl EventHandler<K> + use<K> {
        let recorder = self.clone();
        move |event: Event<K>| recorder.note(event)
    }

    pub(crate) fn note(&self, event: Event<K>) {
        self.shared.notes.lock().note(event);
        self.shared.changed.send_replace(());
    }

    pub(crate) fn read<R>(&self, read: impl FnOnce(&Notes<K>) -> R) -> R {
        read(&self.shared.notes.lock())
    }

    pub(crate) fn events(&self) -> Vec<String> {
        self.read(|notes| notes.events.clone())
    }

    pub(crate) async fn until(&self, what: &str, condition: impl Fn(&Notes<K>) -> bool) {
        let mut changed = self.shared.changed.subscribe();
        let waiting = async {
            while !self.read(&condition) {
                changed.changed().await.unwrap();
            }
        };
        within(what, waiting).await;
    }

    /// Waits until `count` events have arrived.
    pub(crate) async fn until_events(&self, count: usize) {
        let what = format!("{count} events at a handler");
        self.until(&what, |notes| notes.events.len() >= count).await;
    }
}

impl<K> Clone for Recorder<K> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

// === impl Notes ===

impl<K: Object> Notes<K> {
    fn note(&mut self, event: Event<K>) {
        let (key, origin) = (event.key().clone(), event.origin());
        let verb = match &event {
            Event::Added(_) => "add",
            Event::Updated(_) => "update",
            Event::Deleted(_) => "delete",
        };
        let text = format!("{verb} {key} {origin}");
        let held = self.objects.remove(&key);
        let legal = match (&event, &held) {
            (Event::Added(_), None) => true,
            // The old object is the one that was shown last, with the same uid as the new one.
            (Event::Updated(updated), Some(held)) => {
                Arc::ptr_eq(&updated.old, held) && updated.new.meta().uid == held.meta().uid
            }
            (Event::Deleted(deleted), Some(held)) => deleted.object.meta().uid == held.meta().uid,
            (Event::Added(_), Some(_)) | (Event::Updated(_) | Event::Deleted(_), None) => false,
        };
        if !legal {
            let version = |object: &Arc<K>| object.meta().resource_version.clone();
            let held = held.as_ref().and_then(version);
            let reported = version(event.object());
            self.illegal
                .push(format!("{text}: held {held:?}, reported {reported:?}"));
        }
        self.events.push(text);
        match event {
            Event::Added(added) => _ = self.objects.insert(key, added.object),
            Event::Updated(updated) => _ = self.objects.insert(key, updated.new),
            Event::Deleted(_) => {}
        }
    }
}

/// Recorder of an informer's error handler.
#[derive(Clone, Default)]
pub(crate) struct Failures {
    shared: Arc<(Mutex<Vec<ReflectorError>>, watch::Sender<()>)>,
}

// === impl Failures ===

impl Failures {
    pub(crate) fn handler(&self) -> ErrorHandler {
        let failures = self.clone();
        ErrorHandler::new(move |failure| failures.note(failure))
    }

    pub(crate) fn note(&self, failure: &ReflectorError) {
        self.shared.0.lock().push(failure.clone());
        self.shared.1.send_replace(());
    }

    pub(crate) fn all(&self) -> Vec<ReflectorError> {
        self.shared.0.lock().clone()
    }

    /// Returns all failures, with their causes.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.all().iter().map(|failure| chain(failure)).collect()
    }

    pub(crate) async fn until(&self, what: &str, matches: impl Fn(&ReflectorError) -> bool) {
        self.until_all(what, |failures| failures.iter().any(&matches))
            .await;
    }

    /// Waits until `count` failures that match were reported.
    pub(crate) async fn until_count_of(
        &self,
        what: &str,
        count: usize,
        matches: impl Fn(&ReflectorError) -> bool,
    ) {
        let found = |failures: &[ReflectorError]| {
            failures.iter().filter(|failure| matches(failure)).count()
        };
        self.until_all(what, |failures| found(failures) >= count)
            .await;
    }

    pub(crate) async fn until_count(&self, count: usize) {
        let what = format!("{count} failures");
        self.until_all(&what, |failures| failures.len() >= count)
            .await;
    }

    async fn until_all(&self, what: &str, condition: impl Fn(&[ReflectorError]) -> bool) {
        let mut changed = self.shared.1.subscribe();
        let waiting = async {
            while !condition(&self.shared.0.lock()) {
                changed.changed().await.unwrap();
            }
        };
        within(what, waiting).await;
    }
}
