//! This crate's `SharedInformer` with one handler.

use std::net::SocketAddr;
use std::sync::Arc;

use informer_runtime::source::KubeListerWatcher;
use informer_runtime::wire::SplitOptions;
use informer_runtime::{
    Event, HandlerOptions, HandlerRegistration, ReflectorConfig, ResourceInfo, SharedInformer,
    WatchListMode, WhenFull,
};
use k8s_openapi::api::core::v1::Pod;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Follower, Options};
use crate::Result;
use crate::progress::Tally;

#[derive(Debug)]
pub(crate) struct InformerFollower {
    pods: SharedInformer<Pod>,
    registration: HandlerRegistration,
    tally: Arc<Tally>,
    /// Ends with this.
    _run: JoinSet<()>,
}

// === impl InformerFollower ===

impl InformerFollower {
    pub(crate) fn start(server: SocketAddr, options: Options) -> Result<Self> {
        let client = informer_runtime::connect(super::config(server)?)?;
        let resource = ResourceInfo::of::<Pod>(&()).ok_or("Pods have a scope")?;
        let split = SplitOptions::default().keep_managed_fields(options.managed_fields);
        let source = KubeListerWatcher::new(client, resource).split_options(split);
        let mode = if options.streaming {
            WatchListMode::Auto
        } else {
            WatchListMode::Never
        };
        let pods = SharedInformer::<Pod>::builder(source)
            .reflector(ReflectorConfig::default().watch_list(mode))
            .build()?;
        let tally = Arc::new(Tally::new());
        let count = {
            let tally = Arc::clone(&tally);
            move |_: Event<Arc<Pod>>| tally.increment()
        };
        // By default notifications for a slow handler are merged; here each one is to be counted.
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

impl Follower for InformerFollower {
    async fn synced(&mut self) -> Result<()> {
        self.pods.wait_for_sync().await?;
        self.registration.wait_for_sync().await?;
        Ok(())
    }

    async fn relisted(&mut self, version: &str) -> Result<()> {
        self.pods.indexer().wait_for(&version.into()).await?;
        Ok(())
    }

    async fn notified(&mut self, count: u64) {
        self.tally.reach(count).await;
    }

    fn notifications(&self) -> u64 {
        self.tally.get()
    }

    fn len(&self) -> usize {
        self.pods.snapshot().len()
    }
}
