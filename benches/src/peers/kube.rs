//! kube-runtime's `watcher` into a `reflector` store, with one consumer of the stream.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::reflector::{self, Store};
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client};
use tokio::task::JoinSet;

use super::{Follower, Options};
use crate::Result;
use crate::progress::Tally;

#[derive(Debug)]
pub(crate) struct KubeFollower {
    store: Store<Pod>,
    lists: Arc<Tally>,
    tally: Arc<Tally>,
    /// Ends with this.
    _run: JoinSet<()>,
}

// === impl KubeFollower ===

impl KubeFollower {
    pub(crate) fn start(server: SocketAddr, options: Options) -> Result<Self> {
        let client = Client::try_from(super::config(server)?)?;
        let api: Api<Pod> = Api::all(client);
        let config = if options.streaming {
            Config::default().streaming_lists()
        } else {
            Config::default()
        };
        let (store, writer) = reflector::store();
        let (lists, tally) = (Arc::new(Tally::new()), Arc::new(Tally::new()));
        let mut run = JoinSet::new();
        let counts = (Arc::clone(&lists), Arc::clone(&tally));
        run.spawn(async move {
            let (lists, tally) = counts;
            // Without a backoff, the watcher spins when the client is gone.
            let pods = watcher(api, config).default_backoff().modify(move |pod| {
                if !options.managed_fields {
                    pod.metadata.managed_fields = None;
                }
            });
            let mut events = pin!(pods.reflect(writer));
            while let Some(event) = events.next().await {
                match event {
                    Ok(Event::Apply(_) | Event::InitApply(_) | Event::Delete(_)) => {
                        tally.increment();
                    }
                    Ok(Event::InitDone) => lists.increment(),
                    // The 410 that makes it list again is one of them.
                    Ok(Event::Init) | Err(_) => {}
                }
            }
        });
        Ok(Self {
            store,
            lists,
            tally,
            _run: run,
        })
    }
}

impl Follower for KubeFollower {
    async fn synced(&mut self) -> Result<()> {
        self.lists.reach(1).await;
        self.store.wait_until_ready().await?;
        Ok(())
    }

    async fn relisted(&mut self, _version: &str) -> Result<()> {
        self.lists.reach(2).await;
        Ok(())
    }

    async fn notified(&mut self, count: u64) {
        self.tally.reach(count).await;
    }

    fn notifications(&self) -> u64 {
        self.tally.get()
    }

    fn len(&self) -> usize {
        self.store.len()
    }
}
