//! kube-runtime's `watcher` into a `reflector` store, with one consumer of the stream.

use std::fmt::Debug;
use std::hash::Hash;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use futures::{Stream, StreamExt as _};
use informer_runtime::Object;
use kube::core::{ApiResource, Expression, Selector};
use kube::runtime::WatchStreamExt as _;
use kube::runtime::reflector::store::Writer;
use kube::runtime::reflector::{ObjectRef, Store};
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client, ResourceExt as _};
use tokio::task::JoinSet;

use super::{Follower, Options, Reader};
use crate::Result;
use crate::control::Lookups;
use crate::objects::Random;
use crate::progress::Tally;
use crate::world::World;

/// Type information that kube-runtime has at compile time or at run time.
pub(crate) trait OfResource: Clone + Debug + Eq + Hash + Send + Sync + 'static {
    fn of_resource(resource: &ApiResource) -> Self;
}

impl OfResource for () {
    fn of_resource(_: &ApiResource) {}
}

impl OfResource for ApiResource {
    fn of_resource(resource: &ApiResource) -> Self {
        resource.clone()
    }
}

/// Object that kube-runtime can cache.
pub(crate) trait KubeObject: Object<DynamicType: OfResource> + Clone + Debug {}

impl<K: Object<DynamicType: OfResource> + Clone + Debug> KubeObject for K {}

#[derive(Debug)]
pub(crate) struct KubeFollower<K: KubeObject> {
    store: Store<K>,
    dynamic_type: K::DynamicType,
    lists: Arc<Tally>,
    tally: Arc<Tally>,
    /// The task ends when this value is dropped.
    _run: JoinSet<()>,
}

struct KubeReader<K: KubeObject> {
    /// In the order in which they are read.
    keys: Vec<ObjectRef<K>>,
    store: Store<K>,
    selector: Option<Selector>,
}

// === impl KubeFollower ===

impl<K: KubeObject> KubeFollower<K> {
    fn start(client: Client, dynamic_type: K::DynamicType, options: Options) -> Self {
        let api: Api<K> = Api::all_with(client, &dynamic_type);
        let writer = Writer::new(dynamic_type.clone());
        let store = writer.as_reader();
        let lists = Arc::new(Tally::new());
        let tally = Arc::new(Tally::new());
        let mut run = JoinSet::new();
        run.spawn(reflect(
            api,
            writer,
            options,
            Arc::clone(&lists),
            Arc::clone(&tally),
        ));
        Self {
            store,
            dynamic_type,
            lists,
            tally,
            _run: run,
        }
    }
}

/// Fills the store of `writer`, and counts complete lists and notifications.
async fn reflect<K: KubeObject>(
    api: Api<K>,
    writer: Writer<K>,
    options: Options,
    lists: Arc<Tally>,
    tally: Arc<Tally>,
) {
    let config = if options.streaming {
        Config::default().streaming_lists()
    } else {
        Config::default()
    };
    // Without a backoff, the watcher spins when the client is gone.
    let objects = watcher(api, config).default_backoff();
    let mut events: Pin<Box<dyn Stream<Item = _> + Send>> = if options.whole {
        Box::pin(objects.reflect(writer))
    } else {
        let strip = |object: &mut K| object.managed_fields_mut().clear();
        Box::pin(objects.modify(strip).reflect(writer))
    };
    while let Some(event) = events.next().await {
        match event {
            Ok(Event::Apply(_) | Event::InitApply(_) | Event::Delete(_)) => tally.increment(),
            Ok(Event::InitDone) => lists.increment(),
            // The errors include the 410 that forces the relist.
            Ok(Event::Init) | Err(_) => {}
        }
    }
}

impl<K: KubeObject> Follower for KubeFollower<K> {
    fn start_all(
        server: SocketAddr,
        resources: &[ApiResource],
        _: &World,
        options: Options,
    ) -> Result<Vec<Self>> {
        let client = Client::try_from(super::config(server)?)?;
        let mut followers = Vec::with_capacity(resources.len());
        for resource in resources {
            let dynamic_type = OfResource::of_resource(resource);
            followers.push(Self::start(client.clone(), dynamic_type, options));
        }
        Ok(followers)
    }

    async fn synced(&mut self) -> Result<()> {
        self.lists.reach(1).await;
        self.store.wait_until_ready().await?;
        Ok(())
    }

    async fn relisted(&mut self, _version: &str) -> Result<()> {
        self.lists.reach(2).await;
        Ok(())
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn reader(&self, lookups: &Lookups) -> Result<impl Reader> {
        let mut objects = self.store.state();
        Random::new(2).shuffle(&mut objects);
        let keys = objects
            .iter()
            .map(|object| ObjectRef::from_obj_with(&**object, self.dynamic_type.clone()))
            .collect();
        let selector = lookups
            .label
            .clone()
            .map(|(name, value)| Expression::Equal(name, value).into());
        Ok(KubeReader {
            keys,
            store: self.store.clone(),
            selector,
        })
    }
}

// === impl KubeReader ===

impl<K: KubeObject> KubeReader<K> {
    fn find(&self, at: usize) -> Option<Arc<K>> {
        self.store.get(self.keys.get(at)?)
    }
}

impl<K: KubeObject> Reader for KubeReader<K> {
    fn get(&self, at: usize) -> bool {
        self.find(at).is_some()
    }

    fn get_field(&self, at: usize) -> bool {
        self.find(at)
            .is_some_and(|object| object.meta().resource_version.is_some())
    }

    fn list_selected(&self) -> Option<usize> {
        let selector = self.selector.as_ref()?;
        Some(self.store.state_filter_selector(selector).len())
    }

    fn list_of_node(&self, _node: &str) -> Option<usize> {
        None
    }
}
