//! A server, the informer of one replica, and a handler that keeps a copy of the cache.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::{
    Event, EventHandler, HandlerOptions, InformerConfig, InformerOptions, ObjectKey, Origin,
    SharedInformer, SharedInformerFactory, WatchListMode, WhenFull,
};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::base::sync;
use crate::shards::board::Board;
use crate::shards::cached_slices::CachedSlices;
use crate::shards::handle::{Membership, Shards};
use crate::shards::shared::ShardsShared;
use crate::shards::slices::{ShardBy, hash, slice_of};
use crate::tests::server::Server;

pub(super) const COUNT: u16 = 4;

/// Keys with their versions.
pub(super) type Versions = BTreeMap<ObjectKey, String>;

pub(super) struct World {
    pub(super) server: Server,
    pub(super) cached: Arc<CachedSlices>,
    pub(super) factory: SharedInformerFactory,
    pub(super) informer: SharedInformer<ConfigMap>,
    pub(super) seen: Arc<Mutex<Seen>>,
    /// Keeps a handler that blocks the informer from taking events.
    pub(super) stuck: watch::Sender<bool>,
    by: ShardBy,
}

/// Handler that waits until it may go on.
pub(super) struct Stuck(pub(super) watch::Receiver<bool>);

/// Objects that a handler knows of, and those that entered or left with their slices.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) objects: Versions,
    pub(super) entered: BTreeSet<ObjectKey>,
    pub(super) left: BTreeSet<ObjectKey>,
    /// Newest version of each object, also if it is deleted, but not if its slice has left.
    newest: BTreeMap<ObjectKey, u64>,
    /// Notifications that contradict the ones before. A panic of a handler would be contained.
    pub(super) faults: Vec<String>,
}

struct Follower(Arc<Mutex<Seen>>);

// === impl World ===

impl World {
    pub(super) fn new(server: &Server, by: ShardBy, watch_list: WatchListMode) -> Self {
        let cached = CachedSlices::new(by, COUNT);
        let factory = SharedInformerFactory::builder(server.client())
            .watch_list(watch_list)
            .shards(&shards(&cached))
            .build()
            .unwrap();
        let config = InformerConfig::new().retain_deleted(Duration::from_secs(3600));
        let options = InformerOptions::<ConfigMap>::new().config(config);
        let informer = factory.informer_with(options);
        let seen = Arc::default();
        informer
            .add_event_handler(Follower(Arc::clone(&seen)))
            .unwrap();
        let (stuck, is_stuck) = watch::channel(false);
        let options = HandlerOptions::new().when_full(WhenFull::Block);
        let options = options.capacity(NonZeroUsize::MIN);
        informer
            .add_event_handler_with(Stuck(is_stuck), options)
            .unwrap();
        factory.start().unwrap();
        Self {
            server: server.clone(),
            cached,
            factory,
            informer,
            seen,
            stuck,
            by,
        }
    }

    /// Returns the objects of these slices on the server.
    pub(super) fn expected(&self, slices: &BTreeSet<u16>) -> Versions {
        let mut expected = Versions::new();
        for object in self.server.objects("configmaps") {
            let text = |name: &str| object["metadata"][name].as_str().unwrap();
            let hashed = match self.by {
                ShardBy::Namespace => text("namespace"),
                ShardBy::Uid => text("uid"),
            };
            if slices.contains(&slice_of(hash(hashed), COUNT)) {
                let key = ObjectKey::namespaced(text("namespace"), text("name"));
                expected.insert(key, text("resourceVersion").to_owned());
            }
        }
        expected
    }

    pub(super) fn cached(&self) -> Versions {
        let snapshot = self.informer.lister().snapshot();
        let entries = snapshot.entries();
        entries
            .map(|entry| (entry.key.clone(), entry.resource_version.to_string()))
            .collect()
    }

    pub(super) fn owned(&self) -> BTreeSet<u16> {
        self.cached.tenures().borrow().keys().copied().collect()
    }

    /// Reports whether all cached objects are in the slices.
    pub(super) fn caches_owned_only(&self) -> bool {
        let owned = self.owned();
        let snapshot = self.informer.lister().snapshot();
        let mut entries = snapshot.entries();
        entries.all(|entry| {
            let uid = entry.uid.as_ref();
            let slice = self.cached.slice_of(&entry.key, uid);
            slice.is_some_and(|slice| owned.contains(&slice))
        })
    }

    /// Returns the objects of the server that the cache retains as deleted.
    pub(super) fn retained_alive(&self) -> Vec<ObjectKey> {
        let snapshot = self.informer.lister().snapshot();
        let objects = self.server.objects("configmaps").into_iter();
        let retained = objects.filter_map(|object| {
            let text = |name: &str| object["metadata"][name].as_str().unwrap();
            let key = ObjectKey::namespaced(text("namespace"), text("name"));
            let retained = snapshot.get_retained(&key)?;
            let is_same = retained.metadata.uid.as_deref() == Some(text("uid"));
            (is_same && snapshot.get(&key).is_none()).then_some(key)
        });
        retained.collect()
    }

    /// Returns the version of the store; 0 before the first list.
    pub(super) fn version(&self) -> u64 {
        let version = self.informer.last_sync_resource_version();
        version.to_string().parse().unwrap_or_default()
    }

    /// Waits until cache and handler have the objects of all slices.
    pub(super) async fn settle(&self) {
        let expected = || self.expected(&self.owned());
        for _ in 0..200 {
            tokio::time::sleep(Duration::from_secs(2)).await;
            if self.cached() == expected() && self.seen.lock().objects == expected() {
                return assert_eq!(self.seen.lock().faults, [""; 0]);
            }
        }
        assert_eq!(self.cached(), expected(), "cache");
        assert_eq!(self.seen.lock().objects, expected(), "handler");
    }
}

pub(super) fn slices(slices: impl IntoIterator<Item = u16>) -> BTreeSet<u16> {
    slices.into_iter().collect()
}

/// Returns a membership with these slices, without a task.
fn shards(cached: &Arc<CachedSlices>) -> Shards {
    let shared = ShardsShared {
        board: Board::default(),
        cached: Arc::clone(cached),
        status: sync::Mutex::default(),
    };
    let inner = Membership {
        shared: Arc::new(shared),
        leaving: CancellationToken::new(),
        ended: CancellationToken::new(),
        _task: sync::JoinSet::new(),
    };
    Shards {
        inner: Arc::new(inner),
    }
}

/// Creates or replaces an object.
pub(super) fn put(server: &Server, key: &ObjectKey, value: u32) {
    let data = json!({ "data": { "value": value.to_string() } });
    server.put("configmaps", key, Some(data));
}

pub(super) fn key(namespace: usize, name: usize) -> ObjectKey {
    ObjectKey::namespaced(&format!("{namespace}-team"), &format!("x{name}"))
}

impl EventHandler<ConfigMap> for Stuck {
    async fn on_event(&mut self, _: Event<ConfigMap>) {
        self.0.wait_for(|is_stuck| !is_stuck).await.unwrap();
    }
}

// === impl Seen ===

impl Seen {
    fn check(&mut self, is_legal: bool, key: &ObjectKey) {
        let fault = || format!("{key} after {:?}", self.objects);
        self.faults.extend((!is_legal).then(fault));
    }
}

// === impl Follower ===

impl EventHandler<ConfigMap> for Follower {
    fn on_event(&mut self, event: Event<ConfigMap>) -> impl Future<Output = ()> + Send {
        let mut seen = self.0.lock();
        let key = event.key().clone();
        let version = event.object().metadata.resource_version.clone().unwrap();
        let is_reshard = event.origin() == Origin::Reshard;
        let number: u64 = version.parse().unwrap();
        let before = seen.newest.insert(key.clone(), number);
        if event.origin() == Origin::Live && !matches!(event, Event::Deleted(_)) {
            let goes_back = before.is_some_and(|before| before >= number);
            seen.check(!goes_back, &key);
        }
        match event {
            Event::Added(_) => {
                let known = seen.objects.insert(key.clone(), version);
                seen.check(known.is_none(), &key);
                seen.entered.extend(is_reshard.then_some(key));
            }
            Event::Updated(_) => {
                let known = seen.objects.insert(key.clone(), version);
                seen.check(known.is_some(), &key);
            }
            Event::Deleted(_) => {
                let known = seen.objects.remove(&key);
                seen.check(known.is_some(), &key);
                if is_reshard {
                    seen.newest.remove(&key);
                    seen.left.insert(key);
                }
            }
        }
        std::future::ready(())
    }
}
