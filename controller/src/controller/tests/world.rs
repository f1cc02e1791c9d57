//! Running informer of `ConfigMap`s, and calls of `reconcile` that are written down.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::object::ObjectKey;
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;
use crate::workqueue::Action;

/// Running informer over a source with objects.
pub(super) struct World {
    pub(super) source: FakeControllerSource,
    pub(super) informer: SharedInformer<ConfigMap>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Calls of `reconcile` and of the error policy, in order.
pub(super) type Seen = Mutex<Vec<String>>;

// === impl World ===

impl World {
    /// Creates an informer that is not started.
    pub(super) fn new(names: &[&str]) -> Self {
        let source = FakeControllerSource::new();
        for name in names {
            source.add(&config_map(name, "1")).unwrap();
        }
        Self {
            informer: SharedInformer::builder(source.clone()).build().unwrap(),
            source,
            stop: CancellationToken::new(),
            tasks: JoinSet::new(),
        }
    }

    /// Creates an informer that is started.
    pub(super) fn running(names: &[&str]) -> Self {
        let mut world = Self::new(names);
        world.start();
        world
    }

    pub(super) fn start(&mut self) {
        let run = self.informer.run(self.stop.clone());
        self.tasks.spawn(async move { run.await.unwrap() });
    }

    /// Returns the number of handlers.
    pub(super) fn handlers(&self) -> usize {
        self.informer.metrics().handlers.len()
    }

    pub(super) async fn stop(mut self) {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
    }
}

pub(super) fn config_map(name: &str, value: &str) -> Value {
    json!({ "metadata": { "namespace": "a", "name": name }, "data": { "value": value } })
}

pub(super) fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

pub(super) fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Waits until no task has anything to do: the paused clock advances only then.
pub(super) async fn settled() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Writes the name down.
pub(super) async fn note(object: Arc<ConfigMap>, seen: Arc<Seen>) -> Result<(), std::io::Error> {
    seen.lock().push(object.name_any());
    Ok(())
}

/// Writes begin and end down, and takes a second.
pub(super) async fn slow(
    object: Arc<ConfigMap>,
    seen: Arc<Seen>,
) -> Result<Action, std::io::Error> {
    seen.lock().push(format!("begin {}", object.name_any()));
    tokio::time::sleep(secs(1)).await;
    seen.lock().push(format!("end {}", object.name_any()));
    Ok(Action::RequeueAfter(secs(5)))
}
