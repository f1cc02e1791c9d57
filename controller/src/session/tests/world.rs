//! Factory and session over a server in memory.

use std::fmt::Debug;

use informer_runtime::{InformerOptions, Lister, SharedInformerFactory};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{DeleteParams, Patch, PatchParams};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::session::{Session, SessionApi};
use crate::tests::server::{Lost, Server};

pub(super) struct World {
    pub(super) server: Server,
    pub(super) factory: SharedInformerFactory,
    pub(super) session: Session,
    pub(super) api: SessionApi<ConfigMap>,
}

// === impl World ===

impl World {
    pub(super) fn new() -> Self {
        Self::over(Server::new(0))
    }

    pub(super) fn over(server: Server) -> Self {
        let factory = server.factory();
        let session = Session::new(&factory);
        Self {
            api: session.api("a"),
            server,
            factory,
            session,
        }
    }

    /// Starts the informer of all config maps, and returns its lister.
    pub(super) async fn with_maps() -> (Self, Lister<ConfigMap>) {
        Self::with(InformerOptions::new()).await
    }

    /// Starts the informer of the config maps whose value is `web`, and returns its lister.
    pub(super) async fn with_web() -> (Self, Lister<ConfigMap>) {
        let selector = "app=web".parse().unwrap();
        Self::with(InformerOptions::new().label_selector(selector)).await
    }

    async fn with(options: InformerOptions<ConfigMap>) -> (Self, Lister<ConfigMap>) {
        let world = Self::new();
        let lister = world.factory.informer_with(options).lister();
        world.start().await;
        (world, lister)
    }

    pub(super) async fn create(&self, name: &str, value: &str) -> ConfigMap {
        self.api.create(&map(name, value)).await.unwrap()
    }

    pub(super) async fn patch(&self, name: &str, patch: Value) -> kube::Result<ConfigMap> {
        let params = PatchParams::default();
        self.api.patch(name, &params, &Patch::Merge(patch)).await
    }

    pub(super) async fn delete(&self, name: &str) -> kube::Result<Option<ConfigMap>> {
        self.api.delete(name, &DeleteParams::default()).await
    }

    /// Has the server carry out a write without an answer.
    pub(super) async fn lost<T: Debug>(&self, write: impl Future<Output = kube::Result<T>>) {
        self.server.lose(Lost::Answer);
        write.await.unwrap_err();
    }

    pub(super) async fn start(&self) {
        self.factory.start().unwrap();
        self.factory.wait_for_cache_sync().await.unwrap();
    }
}

pub(super) fn object<K: DeserializeOwned>(value: Value) -> K {
    serde_json::from_value(value).unwrap()
}

pub(super) fn map(name: &str, value: &str) -> ConfigMap {
    let meta = json!({ "namespace": "a", "name": name, "labels": { "app": value } });
    object(json!({ "metadata": meta, "data": { "value": value } }))
}

/// Returns a Secret that the config map controls.
pub(super) fn child(owner: &ConfigMap, meta: &Value) -> Secret {
    let mut secret: Secret = object(json!({ "metadata": meta }));
    let owner = json!([{
        "apiVersion": "v1", "kind": "ConfigMap", "controller": true,
        "name": owner.metadata.name, "uid": owner.metadata.uid,
    }]);
    secret.metadata.owner_references = Some(object(owner));
    secret
}
