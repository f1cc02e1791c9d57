//! This crate's `SharedInformer` with one handler.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::factory::Budget;
use informer_runtime::private::dynamic_namespace;
use informer_runtime::source::KubeListerWatcher;
use informer_runtime::storage::TieredObject;
use informer_runtime::wire::{Encoding, SplitOptions};
use informer_runtime::{
    Event, HandlerOptions, HandlerRegistration, Index, InformerConfig, InformerOptions, Lister,
    Object, ObjectKey, Packed, PackedObject, PathStorage, ResourceInfo, Scope, Selector,
    SharedInformer, SharedInformerFactory, Storage, Tiered, Typed, WatchListMode, WhenFull,
};
use kube::Client;
use kube::core::ApiResource;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Follower, Options, Reader};
use crate::Result;
use crate::control::Lookups;
use crate::objects::Random;
use crate::progress::Tally;
use crate::world::World;

/// Memory budget of the factory of `Tiered` storage, in bytes for each object and at least in all.
/// Bodies of most objects do not fit.
const BUDGET: usize = 1 << 10;
const LEAST_BUDGET: usize = 16 << 20;

/// Path of the index of Pods by their node.
const NODE: &str = "spec.nodeName";
/// Time limit of a wait for a relist.
const LIMIT: Duration = Duration::from_secs(120);

#[derive(Debug)]
pub(crate) struct InformerFollower<K: Object, S: Storage<K>> {
    objects: SharedInformer<K, S>,
    registration: HandlerRegistration,
    tally: Arc<Tally>,
    /// Measures the memory.
    _factory: Option<SharedInformerFactory>,
    /// The task ends when this value is dropped.
    _run: JoinSet<()>,
}

struct InformerReader<K: Object, S: Storage<K>> {
    /// In the order in which they are read.
    names: Vec<Name>,
    objects: SharedInformer<K, S>,
    lister: Lister<K, S>,
    by_node: Option<Index<S::Object, String>>,
    label: Option<(String, String)>,
    selector: Option<Selector>,
}

/// Namespace and name in one text.
#[derive(Debug)]
struct Name {
    text: String,
    namespace: usize,
}

// === impl Options ===

impl Options {
    fn informer_config(self) -> InformerConfig {
        InformerConfig::new().watch_list(if self.streaming {
            WatchListMode::Auto
        } else {
            WatchListMode::Never
        })
    }
}

// === impl Name ===

impl Name {
    fn of(key: &ObjectKey) -> Self {
        let namespace = key.namespace().unwrap_or_default();
        Self {
            text: [namespace, key.name()].concat(),
            namespace: namespace.len(),
        }
    }

    fn parts(&self) -> (&str, &str) {
        self.text.split_at(self.namespace)
    }
}

/// Storage of which one field of an object can be read.
pub(crate) trait Fields<K: Object>: PathStorage<K> + Default {
    /// Reports whether the object has a resourceVersion.
    fn has_version(object: &Self::Object) -> bool;

    /// Creates an informer, in a factory if the storage needs one.
    fn informer(
        client: Client,
        resource: ResourceInfo,
        encoding: Encoding,
        options: Options,
        _: &World,
    ) -> Result<(SharedInformer<K, Self>, Option<SharedInformerFactory>)> {
        let split = SplitOptions::default().keep_managed_fields(options.whole);
        let source = KubeListerWatcher::new(client, resource.clone())
            .encoding(encoding)
            .split_options(split);
        let objects = SharedInformer::<K, Self>::builder_with(source, Self::default())
            .resource(resource)
            .config(options.informer_config())
            .build()?;
        Ok((objects, None))
    }
}

// === impl Fields ===

impl<K: Object + Serialize> Fields<K> for Typed {
    fn has_version(object: &K) -> bool {
        object.meta().resource_version.is_some()
    }
}

impl<K: Object> Fields<K> for Packed {
    fn has_version(object: &PackedObject<K>) -> bool {
        !object.resource_version().is_unset()
    }
}

impl<K: Object<DynamicType = ()>> Fields<K> for Tiered {
    fn has_version(object: &TieredObject<K>) -> bool {
        !object.resource_version().is_unset()
    }

    fn informer(
        client: Client,
        resource: ResourceInfo,
        encoding: Encoding,
        options: Options,
        world: &World,
    ) -> Result<(SharedInformer<K, Self>, Option<SharedInformerFactory>)> {
        let budget = LEAST_BUDGET.max(BUDGET * world.objects);
        let factory = SharedInformerFactory::builder(client)
            .encoding(encoding)
            .memory(Budget::bytes(budget))
            .build()?;
        let informer = InformerOptions::new().config(options.informer_config());
        let objects: SharedInformer<K, Self> = factory.stored_as().informer_with(informer);
        if resource.api_resource.kind == "Pod" {
            objects.add_path_index(NODE.parse()?)?;
        }
        Ok((objects, Some(factory)))
    }
}

// === impl InformerFollower ===

impl<K: Object, S: Fields<K>> InformerFollower<K, S> {
    fn start(
        client: Client,
        resource: &ApiResource,
        world: &World,
        options: Options,
    ) -> Result<Self> {
        let info = ResourceInfo {
            api_resource: resource.clone(),
            scope: Scope::Namespaced,
        };
        let encoding = if options.protobuf {
            Encoding::from_content_type(informer_protobuf::MEDIA_TYPE)
                .ok_or("this informer does not support protobuf")?
        } else {
            Encoding::Json
        };
        let (objects, factory) = S::informer(client, info, encoding, options, world)?;
        let tally = Arc::new(Tally::new());
        let counter = Arc::clone(&tally);
        // The handler reads the key only, like a handler that fills a work queue.
        let count = move |event: Event<S::Object>| {
            std::hint::black_box(event.key());
            counter.increment();
        };
        // The default merges notifications for a slow handler. The benchmark counts every
        // notification.
        let handler = HandlerOptions::new().when_full(WhenFull::Block);
        let registration = objects.add_event_handler_with(count, handler)?;
        let mut run = JoinSet::new();
        let running = objects.clone();
        run.spawn(async move {
            let ended = running.run(CancellationToken::new()).await;
            eprintln!("the informer ended: {ended:?}");
        });
        Ok(Self {
            objects,
            registration,
            tally,
            _factory: factory,
            _run: run,
        })
    }
}

impl<K: Object, S: Fields<K>> InformerFollower<K, S> {
    fn index_by_node(&self) -> Result<Index<S::Object, String>> {
        // An index that comes before the first list has the bodies that are evicted later.
        match self.objects.index(NODE) {
            Some(index) => Ok(index),
            None => Ok(self.objects.add_path_index(NODE.parse()?)?),
        }
    }
}

impl<K: Object, S: Fields<K>> Follower for InformerFollower<K, S> {
    fn start_all(
        server: SocketAddr,
        resources: &[ApiResource],
        world: &World,
        options: Options,
    ) -> Result<Vec<Self>> {
        let client = informer_runtime::connect(super::config(server)?)?;
        resources
            .iter()
            .map(|resource| Self::start(client.clone(), resource, world, options))
            .collect()
    }

    async fn synced(&mut self) -> Result<()> {
        self.objects.wait_for_sync().await?;
        self.registration.wait_for_sync().await?;
        Ok(())
    }

    async fn relisted(&mut self, version: &str) -> Result<()> {
        self.objects
            .wait_for_resource_version(&version.into(), LIMIT)
            .await?;
        Ok(())
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn len(&self) -> usize {
        self.objects.snapshot().len()
    }

    fn reader(&self, lookups: &Lookups) -> Result<impl Reader> {
        let by_node = if lookups.nodes.is_empty() {
            None
        } else {
            Some(self.index_by_node()?)
        };
        let mut keys = self.objects.indexer().list_keys();
        Random::new(2).shuffle(&mut keys);
        let selector = match &lookups.label {
            Some((name, value)) => Some(format!("{name}={value}").parse()?),
            None => None,
        };
        Ok(InformerReader {
            names: keys.iter().map(Name::of).collect(),
            objects: self.objects.clone(),
            lister: self.objects.lister(),
            by_node,
            label: lookups.label.clone(),
            selector,
        })
    }
}

// === impl InformerReader ===

impl<K: Object, S: Fields<K>> InformerReader<K, S> {
    fn find(&self, at: usize) -> Option<Arc<S::Object>> {
        let (namespace, name) = self.names.get(at)?.parts();
        dynamic_namespace(&self.lister, namespace).get(name)
    }
}

impl<K: Object, S: Fields<K>> Reader for InformerReader<K, S> {
    fn get(&self, at: usize) -> bool {
        self.find(at).is_some()
    }

    fn get_field(&self, at: usize) -> bool {
        self.find(at).is_some_and(|object| S::has_version(&object))
    }

    fn borrow(&self, at: usize) -> Option<bool> {
        let (namespace, name) = self.names.get(at)?.parts();
        dynamic_namespace(&self.lister, namespace).with(name, S::has_version)
    }

    fn list_selected(&self) -> Option<usize> {
        Some(self.lister.list(self.selector.as_ref()?).len())
    }

    fn index_label(&self) -> Result<Option<impl Fn() -> usize>> {
        let Some((name, _)) = &self.label else {
            return Ok(None);
        };
        // From now on the lister uses the index.
        self.objects.add_label_index(name)?;
        Ok(Some(|| self.list_selected().unwrap_or_default()))
    }

    fn list_of_node(&self, node: &str) -> Option<usize> {
        Some(self.by_node.as_ref()?.get(node).len())
    }

    fn visit_of_node(&self, node: &str) -> Option<usize> {
        let mut visited = 0;
        self.by_node.as_ref()?.for_each(node, |pod| {
            std::hint::black_box(pod);
            visited += 1;
        });
        Some(visited)
    }
}
