//! Running informer of `ConfigMap`s.

use informer_runtime::source::FakeControllerSource;
use informer_runtime::{SharedInformer, Storage, Typed};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Informer over a source that the test changes.
pub(crate) struct Running<S: Storage<ConfigMap> = Typed> {
    pub(crate) source: FakeControllerSource,
    pub(crate) informer: SharedInformer<ConfigMap, S>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

/// Returns a `ConfigMap` of the namespace `a`.
pub(crate) fn config_map(name: &str, value: &str) -> Value {
    json!({ "metadata": { "namespace": "a", "name": name }, "data": { "value": value } })
}

// === impl Running ===

impl<S: Storage<ConfigMap> + Default> Running<S> {
    /// Creates an informer that is not started, over objects with the value `1`.
    pub(crate) fn new(names: &[&str]) -> Self {
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
    pub(crate) fn started(names: &[&str]) -> Self {
        let mut running = Self::new(names);
        running.start();
        running
    }

    /// Creates an informer that has synced.
    pub(crate) async fn synced(names: &[&str]) -> Self {
        let running = Self::started(names);
        running.informer.wait_for_sync().await.unwrap();
        running
    }

    pub(crate) fn start(&mut self) {
        let run = self.informer.run(self.stop.clone());
        self.tasks.spawn(async move { run.await.unwrap() });
    }

    /// Returns the number of handlers.
    pub(crate) fn handlers(&self) -> usize {
        self.informer.metrics().handlers.len()
    }

    /// Stops the informer, and returns it.
    pub(crate) async fn stop(mut self) -> SharedInformer<ConfigMap, S> {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
        self.informer
    }
}
