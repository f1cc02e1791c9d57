//! This crate's `SharedInformer` with one handler.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::factory::Budget;
use informer_runtime::private::dynamic_namespace;
use informer_runtime::source::KubeListerWatcher;
use informer_runtime::storage::TieredObject;
use informer_runtime::wire::Encoding;
use informer_runtime::{
    Event, HandlerOptions, HandlerRegistration, Index, InformerConfig, Lister, Object, ObjectKey,
    Packed, PackedObject, PathStorage, ResourceInfo, Scope, Selector, SharedInformer,
    SharedInformerFactory, Storage, Tiered, Typed, WatchListMode, WhenFull,
};
use kube::Client;
use kube::core::ApiResource;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Follower, Options, Reader};
use crate::Result;
use crate::control::Lookups;
use crate::progress::Tally;

/// Memory budget of the factory of `Tiered` storage, in bytes.
const BUDGET: usize = 192 << 20;

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
    /// Namespaces and names, with texts of their own.
    names: Vec<(String, String)>,
    lister: Lister<K, S>,
    by_node: Option<Index<S::Object, String>>,
    selector: Option<Selector>,
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
    ) -> Result<(SharedInformer<K, Self>, Option<SharedInformerFactory>)> {
        let source = KubeListerWatcher::new(client, resource.clone()).encoding(encoding);
        // All peers read pages, so that the requests are the same.
        let config = InformerConfig::new().watch_list(WatchListMode::Never);
        let objects = SharedInformer::<K, Self>::builder_with(source, Self::default())
            .resource(resource)
            .config(config)
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
        _: ResourceInfo,
        encoding: Encoding,
    ) -> Result<(SharedInformer<K, Self>, Option<SharedInformerFactory>)> {
        let factory = SharedInformerFactory::builder(client)
            .encoding(encoding)
            .watch_list(WatchListMode::Never)
            .memory(Budget::bytes(BUDGET))
            .build()?;
        Ok((factory.stored_as().informer(), Some(factory)))
    }
}

// === impl InformerFollower ===

impl<K: Object, S: Fields<K>> InformerFollower<K, S> {
    fn start(client: Client, resource: &ApiResource, options: Options) -> Result<Self> {
        let resource = ResourceInfo {
            api_resource: resource.clone(),
            scope: Scope::Namespaced,
        };
        let encoding = if options.protobuf {
            Encoding::from_content_type(informer_protobuf::MEDIA_TYPE)
                .ok_or("this informer does not support protobuf")?
        } else {
            Encoding::Json
        };
        let (objects, factory) = S::informer(client, resource, encoding)?;
        let tally = Arc::new(Tally::new());
        let count = {
            let tally = Arc::clone(&tally);
            // The handler reads the key only, like a handler that fills a work queue.
            move |event: Event<S::Object>| {
                std::hint::black_box(event.key());
                tally.increment();
            }
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

impl<K: Object, S: Fields<K>> Follower for InformerFollower<K, S> {
    fn start_all(
        server: SocketAddr,
        resources: &[ApiResource],
        options: Options,
    ) -> Result<Vec<Self>> {
        let client = informer_runtime::connect(super::config(server)?)?;
        let start = |resource| Self::start(client.clone(), resource, options);
        resources.iter().map(start).collect()
    }

    async fn synced(&mut self) -> Result<()> {
        self.objects.wait_for_sync().await?;
        self.registration.wait_for_sync().await?;
        Ok(())
    }

    async fn relisted(&mut self, version: &str) -> Result<()> {
        let reached = self
            .objects
            .wait_for_resource_version(&version.into(), LIMIT);
        reached.await?;
        Ok(())
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn len(&self) -> usize {
        self.objects.snapshot().len()
    }

    fn reader(&self, lookups: &Lookups) -> Result<impl Reader> {
        let by_node = match *lookups.nodes {
            [] => None,
            _ => Some(self.objects.add_path_index("spec.nodeName".parse()?)?),
        };
        let label = lookups.label.as_ref();
        if let Some((name, _)) = label {
            self.objects.add_label_index(name)?;
        }
        let keys = self.objects.indexer().list_keys();
        let text = |part: &str| part.to_owned();
        let names = |key: &ObjectKey| {
            let namespace = key.namespace().unwrap_or_default();
            (text(namespace), text(key.name()))
        };
        let selector = label.map(|(name, value)| format!("{name}={value}").parse());
        Ok(InformerReader {
            names: keys.iter().map(names).collect(),
            lister: self.objects.lister(),
            by_node,
            selector: selector.transpose()?,
        })
    }
}

// === impl InformerReader ===

impl<K: Object, S: Fields<K>> InformerReader<K, S> {
    fn find(&self, at: usize) -> Option<Arc<S::Object>> {
        let (namespace, name) = self.names.get(at)?;
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
        let (namespace, name) = self.names.get(at)?;
        dynamic_namespace(&self.lister, namespace).with(name, S::has_version)
    }

    fn list_selected(&self) -> Option<usize> {
        Some(self.lister.list(self.selector.as_ref()?).len())
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
