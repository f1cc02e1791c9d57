//! kube-runtime's `watcher` into a `reflector` store, with one consumer of the stream.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::Pod;
use kube::runtime::WatchStreamExt as _;
use kube::runtime::reflector::{self, ObjectRef, Store};
use kube::runtime::watcher::{Config, Event, watcher};
use kube::{Api, Client};
use tokio::task::JoinSet;

use super::{APP, APP_LABEL, Follower, Options, Reader};
use crate::Result;
use crate::progress::Tally;

#[derive(Debug)]
pub(crate) struct KubeFollower {
    store: Store<Pod>,
    lists: Arc<Tally>,
    tally: Arc<Tally>,
    /// The task ends when this value is dropped.
    _run: JoinSet<()>,
}

struct KubeReader {
    keys: Vec<ObjectRef<Pod>>,
    store: Store<Pod>,
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
                    // The errors include the 410 that forces the relist.
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

    fn tally(&self) -> &Tally {
        &self.tally
    }

    fn len(&self) -> usize {
        self.store.len()
    }

    fn reader(&self) -> Result<impl Reader> {
        let pods = self.store.state();
        Ok(KubeReader {
            keys: pods.iter().map(|pod| ObjectRef::from_obj(&**pod)).collect(),
            store: self.store.clone(),
        })
    }
}

// === impl KubeReader ===

impl Reader for KubeReader {
    fn get(&self, at: usize) -> bool {
        let key = self.keys.get(at);
        key.is_some_and(|key| self.store.get(key).is_some())
    }

    fn list_selected(&self) -> usize {
        let is_selected = |pod: &Arc<Pod>| {
            let labels = pod.metadata.labels.as_ref();
            labels
                .and_then(|labels| labels.get(APP_LABEL))
                .is_some_and(|app| app == APP)
        };
        let mut pods = self.store.state();
        pods.retain(is_selected);
        pods.len()
    }

    fn list_of_node(&self, _node: &str) -> Option<usize> {
        None
    }
}
