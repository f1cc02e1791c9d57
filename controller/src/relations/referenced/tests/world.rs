//! Config maps that mention Secrets, on a server in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::{Event, Object, ObjectKey, SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::relations::{Reference, ReferencedCache};
use crate::tests::server::{Server, Target};
pub(super) use crate::tests::settled as idle;

pub(super) const GRACE: Duration = Duration::from_secs(30);

pub(super) struct World {
    pub(super) server: Server,
    pub(super) factory: SharedInformerFactory,
    pub(super) referrers: SharedInformer<ConfigMap>,
}

/// Limits of a cache: maximum number of single watches, and number of names to promote at.
pub(super) type Limits = (usize, usize);

pub(super) const DEFAULT: Limits = (64, 16);

/// Recorded events of a handler.
pub(super) struct Notes<T> {
    noted: Arc<Mutex<Noted<T>>>,
}

struct Noted<T> {
    /// Events since the last call of `take`.
    events: Vec<String>,
    /// Objects that the events add up to.
    objects: BTreeMap<ObjectKey, Arc<T>>,
    /// Events that contradict earlier events.
    illegal: Vec<String>,
}

/// Returns the keys that a config map names, separated by spaces.
pub(super) fn mentioned(map: &ConfigMap) -> Vec<ObjectKey> {
    let keys = map.data.iter().filter_map(|data| data.get("keys"));
    let keys = keys.flat_map(|keys| keys.split_whitespace());
    keys.map(|key| key.parse().unwrap()).collect()
}

pub(super) fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

pub(super) async fn advance(time: Duration) {
    tokio::time::sleep(time).await;
    idle().await;
}

// === impl World ===

impl World {
    pub(super) fn new() -> Self {
        let server = Server::new(0);
        let factory = server.factory();
        Self {
            referrers: factory.informer(),
            server,
            factory,
        }
    }

    /// Creates Secrets, a referrer of these names, and their cache.
    pub(super) fn prepared(
        secrets: &str,
        names: &str,
        limits: Limits,
    ) -> (Self, ReferencedCache<Secret>) {
        let world = Self::new();
        world.put(secrets);
        world.refer("site", names);
        let cache = world.cache(limits);
        (world, cache)
    }

    /// Does the same, and starts the cache.
    pub(super) async fn started(
        secrets: &str,
        names: &str,
        limits: Limits,
    ) -> (Self, ReferencedCache<Secret>) {
        let (world, cache) = Self::prepared(secrets, names, limits);
        world.start(&cache).await;
        (world, cache)
    }

    pub(super) fn cache(&self, limits: Limits) -> ReferencedCache<Secret> {
        self.cache_of(limits)
    }

    pub(super) fn cache_of<T: Object<DynamicType = ()>>(
        &self,
        (max_single_watches, promote_at): Limits,
    ) -> ReferencedCache<T> {
        let reference = Reference::new("keys", mentioned);
        ReferencedCache::builder(&self.factory, &self.referrers, reference)
            .max_single_watches(max_single_watches)
            .promote_at(promote_at)
            .grace_period(GRACE)
            .build()
            .unwrap()
    }

    /// Starts the factory, and waits until the cache has synced.
    pub(super) async fn start(&self, cache: &ReferencedCache<Secret>) {
        self.factory.start().unwrap();
        cache.wait_for_sync().await.unwrap();
        idle().await;
    }

    /// Creates or replaces a referrer that mentions `keys`.
    pub(super) fn refer(&self, referrer: &str, keys: &str) {
        let referrer = ObjectKey::namespaced("sites", referrer);
        let data = json!({ "data": { "keys": keys } });
        self.server.put("configmaps", &referrer, Some(data));
    }

    pub(super) fn remove_referrer(&self, referrer: &str) {
        let referrer = ObjectKey::namespaced("sites", referrer);
        self.server.put("configmaps", &referrer, None);
    }

    /// Creates or replaces Secrets.
    pub(super) fn put(&self, keys: &str) {
        for text in keys.split_whitespace() {
            self.put_data(text, &json!({}));
        }
    }

    pub(super) fn put_data(&self, text: &str, data: &Value) {
        let secret = json!({ "data": data });
        self.server.put("secrets", &key(text), Some(secret));
    }

    pub(super) fn delete(&self, text: &str) {
        self.server.put("secrets", &key(text), None);
    }

    /// Returns the requests since the last call, except those for config maps: `LIST secrets ns/a`.
    pub(super) fn requests(&self) -> Vec<String> {
        let mut requests = self.server.take_reads();
        requests.retain(|request| !request.contains("configmaps"));
        requests
    }

    /// Forbids the reads that match, and no others.
    pub(super) fn forbid(&self, matches: impl Fn(&Target) -> bool + Send + 'static) {
        self.refuse(403, "Forbidden", matches);
    }

    /// Fails the reads that match, and no others.
    pub(super) fn fail(&self, matches: impl Fn(&Target) -> bool + Send + 'static) {
        self.refuse(500, "InternalError", matches);
    }

    /// Answers the reads that match with this status, and no others.
    pub(super) fn refuse(
        &self,
        code: u16,
        reason: &'static str,
        matches: impl Fn(&Target) -> bool + Send + 'static,
    ) {
        let failures = move |target: &Target| matches(target).then_some((code, reason));
        self.server.fail(failures);
    }

    /// Returns the versions of the Secrets.
    pub(super) fn versions(&self) -> BTreeMap<ObjectKey, String> {
        let secrets = self.server.objects("secrets").into_iter();
        let versions = secrets.map(|mut secret| {
            // Its data may not decode.
            let metadata = serde_json::from_value(secret["metadata"].take()).unwrap();
            let secret = Secret {
                metadata,
                ..Secret::default()
            };
            (ObjectKey::of(&secret), version(&secret))
        });
        versions.collect()
    }

    /// Returns the number of Secrets that were decoded, and the number that informers hold.
    pub(super) fn decoded_and_held(&self) -> (u64, usize) {
        let metrics = self.factory.metrics();
        let of_secrets = metrics
            .informers
            .iter()
            .filter(|informer| informer.labels.resource == "secrets");
        of_secrets.fold((0, 0), |(decoded, held), informer| {
            (decoded + informer.decoded_objects, held + informer.objects)
        })
    }
}

/// Returns the cached keys, separated by spaces.
pub(super) fn cached<T: Object>(cache: &ReferencedCache<T>) -> String {
    let snapshot = cache.snapshot();
    let keys: Vec<&str> = snapshot.entries().map(|entry| entry.key.as_str()).collect();
    keys.join(" ")
}

/// Returns the number of single watches and of namespace watches.
pub(super) fn watches<T: Object>(cache: &ReferencedCache<T>) -> (usize, usize) {
    let status = cache.status();
    (status.single_watches, status.namespace_watches)
}

/// Returns the reason of a miss.
pub(super) fn miss<T: Object>(cache: &ReferencedCache<T>, text: &str) -> String {
    match cache.try_get(&key(text)) {
        Ok(_) => "found".to_owned(),
        Err(error) => error.to_string(),
    }
}

// === impl Notes ===

impl<T: Object> Notes<T> {
    /// Adds a handler to a cache.
    pub(super) fn of(cache: &ReferencedCache<T>) -> Self {
        let noted = Arc::new(Mutex::new(Noted {
            events: Vec::new(),
            objects: BTreeMap::new(),
            illegal: Vec::new(),
        }));
        let recorder = Arc::clone(&noted);
        let handler = move |event: Event<T>| recorder.lock().note(event);
        cache.add_event_handler(handler).unwrap();
        Self { noted }
    }

    /// Returns the events since the last call.
    pub(super) fn take(&self) -> Vec<String> {
        let mut noted = self.noted.lock();
        assert!(noted.illegal.is_empty(), "{:?}", noted.illegal);
        std::mem::take(&mut noted.events)
    }

    /// Returns the objects that the events add up to, with their versions.
    pub(super) fn replayed(&self) -> BTreeMap<ObjectKey, String> {
        self.take();
        let noted = self.noted.lock();
        let objects = noted.objects.iter();
        objects
            .map(|(key, object)| (key.clone(), version(&**object)))
            .collect()
    }
}

pub(super) fn version<T: Object>(object: &T) -> String {
    object.meta().resource_version.clone().unwrap()
}

// === impl Noted ===

impl<T: Object> Noted<T> {
    fn note(&mut self, event: Event<T>) {
        let key = event.key().clone();
        let held = self.objects.remove(&key);
        let (text, is_legal) = match &event {
            Event::Added(_) => (format!("add {key}"), held.is_none()),
            Event::Updated(updated) => {
                let is_legal = held.is_some_and(|held| {
                    let is_same_object = held.meta().uid == updated.new.meta().uid;
                    let is_changed = version(&*held) != version(&*updated.new);
                    Arc::ptr_eq(&held, &updated.old) && is_same_object && is_changed
                });
                (format!("update {key}"), is_legal)
            }
            Event::Deleted(deleted) => {
                let is_legal =
                    held.is_some_and(|held| held.meta().uid == deleted.object.meta().uid);
                let unseen = if deleted.final_state_unknown {
                    " unseen"
                } else {
                    ""
                };
                (format!("delete {key}{unseen}"), is_legal)
            }
        };
        if !is_legal {
            self.illegal.push(text.clone());
        }
        self.events.push(text);
        match event {
            Event::Added(added) => _ = self.objects.insert(key, added.object),
            Event::Updated(updated) => _ = self.objects.insert(key, updated.new),
            Event::Deleted(_) => {}
        }
    }
}
