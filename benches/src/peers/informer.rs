//! This crate's `SharedInformer` with one handler.

use std::net::SocketAddr;
use std::sync::Arc;

use informer_runtime::source::KubeListerWatcher;
use informer_runtime::wire::{DropFields, Encoding, SplitOptions};
use informer_runtime::{
    Event, HandlerOptions, HandlerRegistration, Index, InformerConfig, Lister, Object, ObjectKey,
    PathStorage, ResourceInfo, Selector, SharedInformer, Storage, WatchListMode, WhenFull,
};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{APP, APP_LABEL, Follower, Options, Reader};
use crate::Result;
use crate::progress::Tally;

#[derive(Debug)]
pub(crate) struct InformerFollower<K: Object, S: Storage<K>> {
    pods: SharedInformer<K, S>,
    registration: HandlerRegistration,
    tally: Arc<Tally>,
    /// The task ends when this value is dropped.
    _run: JoinSet<()>,
}

struct InformerReader<K: Object, S: Storage<K>> {
    keys: Vec<ObjectKey>,
    lister: Lister<K, S>,
    by_node: Index<S::Handle, String>,
    selector: Selector,
}

/// Returns the protobuf encoding, if this version supports it.
pub(super) fn protobuf() -> Option<Encoding> {
    Encoding::from_content_type(informer_protobuf::MEDIA_TYPE)
}

// === impl InformerFollower ===

impl<K: Object<DynamicType = ()>, S: PathStorage<K> + Default> InformerFollower<K, S> {
    pub(crate) fn start(server: SocketAddr, options: Options) -> Result<Self> {
        let client = informer_runtime::connect(super::config(server)?)?;
        let resource = ResourceInfo::of::<K>(&()).ok_or("Pods have no scope")?;
        let split = SplitOptions::default().keep_managed_fields(options.managed_fields);
        let encoding = if options.protobuf {
            protobuf().ok_or("this informer does not support protobuf")?
        } else {
            Encoding::Json
        };
        let source = KubeListerWatcher::new(client, resource)
            .split_options(split)
            .encoding(encoding);
        let mode = if options.streaming {
            WatchListMode::Auto
        } else {
            WatchListMode::Never
        };
        let pods = SharedInformer::<K, S>::builder_with(source, S::default())
            .drop_fields(DropFields::new(options.without)?)
            .config(InformerConfig::new().watch_list(mode))
            .build()?;
        let tally = Arc::new(Tally::new());
        let count = {
            let tally = Arc::clone(&tally);
            // The handler reads the key only, like a handler that fills a work queue.
            move |event: Event<S::Handle>| {
                std::hint::black_box(event.key());
                tally.increment();
            }
        };
        // The default merges notifications for a slow handler. The benchmark counts every
        // notification.
        let handler = HandlerOptions::new().when_full(WhenFull::Block);
        let registration = pods.add_event_handler_with(count, handler)?;
        let mut run = JoinSet::new();
        let running = pods.clone();
        run.spawn(async move {
            let ended = running.run(CancellationToken::new()).await;
            eprintln!("the informer ended: {ended:?}");
        });
        Ok(Self {
            pods,
            registration,
            tally,
            _run: run,
        })
    }
}

impl<K: Object, S: PathStorage<K>> Follower for InformerFollower<K, S> {
    async fn synced(&mut self) -> Result<()> {
        self.pods.wait_for_sync().await?;
        self.registration.wait_for_sync().await?;
        Ok(())
    }

    async fn relisted(&mut self, version: &str) -> Result<()> {
        self.pods.indexer().wait_for(&version.into()).await?;
        Ok(())
    }

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn len(&self) -> usize {
        self.pods.snapshot().len()
    }

    fn reader(&self) -> Result<impl Reader> {
        Ok(InformerReader {
            keys: self.pods.indexer().list_keys(),
            lister: self.pods.lister(),
            by_node: self.pods.add_path_index("spec.nodeName".parse()?)?,
            selector: format!("{APP_LABEL}={APP}").parse()?,
        })
    }
}

// === impl InformerReader ===

impl<K: Object, S: Storage<K>> Reader for InformerReader<K, S> {
    fn get(&self, at: usize) -> bool {
        let key = self.keys.get(at);
        key.is_some_and(|key| self.lister.get_by_key(key).is_some())
    }

    fn list_selected(&self) -> usize {
        self.lister.list(&self.selector).len()
    }

    fn list_of_node(&self, node: &str) -> Option<usize> {
        Some(self.by_node.get(node).len())
    }
}
