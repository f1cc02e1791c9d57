//! Factory and session over a server in memory.

use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::WatchListMode;
use crate::factory::SharedInformerFactory;
use crate::session::{Session, SessionApi};
use crate::tests::server::Server;

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
        let factory = factory(&server);
        let session = Session::new(&factory);
        Self {
            api: session.api("a"),
            server,
            factory,
            session,
        }
    }

    pub(super) async fn start(&self) {
        self.factory.start().unwrap();
        self.factory.wait_for_cache_sync().await.unwrap();
    }
}

pub(super) fn factory(server: &Server) -> SharedInformerFactory {
    let builder = SharedInformerFactory::builder(server.client());
    builder.watch_list(WatchListMode::Never).build().unwrap()
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

pub(super) fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// Waits until no task has anything to do: the paused clock advances only then.
pub(super) async fn settled() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}
