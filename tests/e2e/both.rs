//! One source, two back ends: each scenario runs against the embedded API server in this process,
//! over HTTP/1 and, with TLS, over HTTP/2, and against the real `kube-apiserver` if
//! `KUBEBUILDER_ASSETS` is set.
//!
//! A scenario gets a [`World`]: a client, and a separate namespace. Injected faults are not
//! included, because the real server cannot produce them on demand.

mod following;
mod outages;
mod protobuf;
mod reconcile;
mod referenced;
mod resources;
mod shards;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use informer::factory::SharedInformerFactoryBuilder;
use informer::source::Encoding;
use informer::{InformerConfig, SharedInformerFactory};
use informer_apiserver::envtest::Environment;
use informer_apiserver::{ApiServer, Control};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use k8s_openapi::api::rbac::v1::{PolicyRule, Role, RoleBinding, RoleRef, Subject};
use kube::api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use tokio::sync::Mutex;

pub(crate) use self::resources::informers_of;
use crate::assets::assets;
use crate::support::{quick, within};

/// Environment of a scenario.
pub(crate) struct World {
    server: Server,
    pub(crate) config: kube::Config,
    pub(crate) client: Client,
    /// Client without permissions.
    pub(crate) nobody: Client,
    pub(crate) namespace: String,
    /// Encoding that the factories request.
    pub(crate) encoding: Encoding,
}

/// Operations on the server.
#[derive(Clone)]
enum Server {
    InProcess(Control),
    Real(Arc<Mutex<Environment>>),
}

/// Name of a scenario, its encodings, and the scenario.
pub(crate) type Scenario = (
    &'static str,
    &'static [Encoding],
    fn(World) -> BoxFuture<'static, ()>,
);

/// Creates an ordinary test of each marked function, and `ALL`, the table for the real server. Each
/// scenario runs in all of its module's `ENCODINGS`.
macro_rules! scenarios {
    ($(
        $(#[doc = $doc:literal])*
        #[tokio::test]
        async fn $name:ident($world:ident: World) $body:block
    )*) => {
        $(
            $(#[doc = $doc])*
            #[tokio::test]
            async fn $name() {
                for encoding in ENCODINGS {
                    crate::both::in_process(encoding, scenario::$name).await;
                }
            }
        )*

        mod scenario {
            use super::*;
            $(pub(super) async fn $name($world: World) $body)*
        }

        pub(super) const ALL: &[crate::both::Scenario] = &[
            $((stringify!($name), &ENCODINGS, |world| Box::pin(scenario::$name(world))),)*
        ];
    };
}
use scenarios;

/// Runs a scenario against the embedded API server, without TLS and with it.
pub(crate) async fn in_process<F: Future<Output = ()>>(
    encoding: Encoding,
    scenario: impl Fn(World) -> F,
) {
    let builders = [ApiServer::builder(), ApiServer::builder().tls()];
    for builder in builders {
        let server = builder.token("nobody", [""; 0]).start().await.unwrap();
        let world = World::new(
            Server::InProcess(server.control()),
            server.kube_config(),
            server.kube_config_as("nobody"),
            "scenario",
            encoding,
        );
        scenario(world.await).await;
        server.shutdown().await;
    }
}

/// Runs all scenarios against the real server, one after the other, each in a separate namespace.
#[tokio::test]
async fn the_real_kube_apiserver_is_followed_like_the_embedded_one() {
    let Some(assets) = assets() else {
        return;
    };
    let gate = "--feature-gates=ShardedListAndWatch=true";
    let environment = Environment::start_with(&assets, &[gate]).await.unwrap();
    let config = environment.kube_config();
    let nobody = environment.kube_config_of_nobody();
    let environment = Arc::new(Mutex::new(environment));
    let mut failed = Vec::new();
    let scenarios = following::ALL
        .iter()
        // Before the scenarios that add and remove groups of resources.
        .chain(protobuf::ALL)
        .chain(reconcile::ALL)
        .chain(referenced::ALL)
        .chain(resources::ALL)
        .chain(shards::ALL)
        // Last, because these scenarios restart the server.
        .chain(outages::ALL)
        .flat_map(|(name, encodings, scenario)| {
            encodings
                .iter()
                .map(move |encoding| (name, *encoding, scenario))
        });
    for (number, (name, encoding, scenario)) in scenarios.enumerate() {
        let namespace = format!("scenario-{number}");
        let server = Server::Real(Arc::clone(&environment));
        let world = World::new(server, config.clone(), nobody.clone(), &namespace, encoding).await;
        // A failed scenario does not hide the others.
        if AssertUnwindSafe(scenario(world))
            .catch_unwind()
            .await
            .is_err()
        {
            failed.push(format!("{name} in {encoding}"));
        }
    }
    if let Some(environment) = Arc::into_inner(environment) {
        environment.into_inner().stop().await;
    }
    assert!(failed.is_empty(), "against the real server: {failed:?}");
}

// === impl World ===

impl World {
    async fn new(
        server: Server,
        config: kube::Config,
        nobody: kube::Config,
        namespace: &str,
        encoding: Encoding,
    ) -> Self {
        let client = informer::connect(config.clone()).unwrap();
        let nobody = informer::connect(nobody).unwrap();
        let object = Namespace {
            metadata: named(namespace),
            ..Namespace::default()
        };
        let namespaces: Api<Namespace> = Api::all(client.clone());
        namespaces
            .create(&PostParams::default(), &object)
            .await
            .unwrap();
        Self {
            server,
            config,
            client,
            nobody,
            namespace: namespace.to_owned(),
            encoding,
        }
    }

    /// Returns a factory for the scenario's namespace.
    pub(crate) fn factory(&self) -> SharedInformerFactory {
        self.builder(quick()).build().unwrap()
    }

    pub(crate) fn builder(&self, config: InformerConfig) -> SharedInformerFactoryBuilder {
        SharedInformerFactory::builder(self.client.clone())
            .namespace(&self.namespace)
            .encoding(self.encoding)
            .config(config)
    }

    pub(crate) fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    /// Creates a config map with this value, and with its name as the label `app`.
    pub(crate) async fn create(&self, name: &str, value: &str) -> ConfigMap {
        let (maps, params, map) = (self.maps(), PostParams::default(), map(name, value));
        maps.create(&params, &map).await.unwrap()
    }

    /// Replaces the config map.
    pub(crate) async fn update(&self, name: &str, value: &str) -> ConfigMap {
        let (maps, params, map) = (self.maps(), PostParams::default(), map(name, value));
        maps.replace(name, &params, &map).await.unwrap()
    }

    pub(crate) async fn delete(&self, name: &str) {
        let maps = self.maps();
        maps.delete(name, &DeleteParams::default()).await.unwrap();
    }

    /// Restarts the server without its watch cache: earlier watches get 410.
    pub(crate) async fn restart(&self) {
        match &self.server {
            Server::InProcess(control) => control.restart_watch_cache(),
            Server::Real(environment) => environment.lock().await.restart_server().await.unwrap(),
        }
    }

    /// Advances the server's versions without a change to the resources of the scenario.
    pub(crate) async fn touch(&self) {
        let namespaces: Api<Namespace> = Api::all(self.client.clone());
        let mark = fastrand::u64(..).to_string();
        let patch = serde_json::json!({ "metadata": { "annotations": { "touched": mark } } });
        let patch = Patch::Merge(patch);
        let params = PatchParams::default();
        namespaces
            .patch(&self.namespace, &params, &patch)
            .await
            .unwrap();
    }

    /// Grants the client without permissions these verbs on config maps of the namespace.
    pub(crate) async fn grant_nobody(&self, verbs: &[&str]) {
        self.grant_nobody_names("configmaps", verbs, &[]).await;
    }

    /// Grants the client without permissions these verbs on a resource of the namespace, restricted
    /// to these names unless there are none.
    pub(crate) async fn grant_nobody_names(&self, resource: &str, verbs: &[&str], names: &[&str]) {
        let texts = |texts: &[&str]| texts.iter().copied().map(String::from).collect();
        let roles: Api<Role> = Api::namespaced(self.client.clone(), &self.namespace);
        let role = Role {
            metadata: named("reader"),
            rules: Some(vec![PolicyRule {
                api_groups: Some(vec![String::new(), "coordination.k8s.io".to_owned()]),
                resources: Some(vec![resource.to_owned()]),
                verbs: texts(verbs),
                resource_names: (!names.is_empty()).then(|| texts(names)),
                ..PolicyRule::default()
            }]),
        };
        roles.create(&PostParams::default(), &role).await.unwrap();
        let bindings: Api<RoleBinding> = Api::namespaced(self.client.clone(), &self.namespace);
        let binding = RoleBinding {
            metadata: named("reader"),
            role_ref: RoleRef {
                api_group: Some("rbac.authorization.k8s.io".into()),
                kind: "Role".into(),
                name: "reader".into(),
            },
            subjects: Some(vec![Subject {
                kind: "User".into(),
                name: "nobody".into(),
                ..Subject::default()
            }]),
        };
        bindings
            .create(&PostParams::default(), &binding)
            .await
            .unwrap();
    }

    /// Returns the objects on the server in the format of [`cached`](crate::support::cached).
    pub(crate) async fn stored(&self) -> String {
        let (maps, params) = (self.maps(), ListParams::default());
        let list = within("a list", maps.list(&params)).await.unwrap();
        let texts = list.items.iter().map(|map| {
            let name = map.metadata.name.as_deref().unwrap();
            format!("{name}={}", crate::support::value(map))
        });
        texts.collect::<Vec<_>>().join(" ")
    }
}

pub(crate) fn named(name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        ..ObjectMeta::default()
    }
}

fn map(name: &str, value: &str) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta {
            labels: Some([("app".into(), name.into()), ("value".into(), value.into())].into()),
            ..named(name)
        },
        data: Some([("v".into(), value.into())].into()),
        ..ConfigMap::default()
    }
}
