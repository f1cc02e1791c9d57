//! Factories of several namespaces.

use std::collections::BTreeSet;
use std::sync::Arc;

use informer::lister::GetError;
use informer::{
    Controller, Informer, ObjectKey, Selector, SharedInformer, SharedInformerFactory, WatchListMode,
};
use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};
use kube::{CustomResource, CustomResourceExt as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, MODES, quick, sync, until_any_changed, within};

const USER: &str = "system:serviceaccount:a:operator";

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
#[informer(
    index = "spec.host",
    owns(ConfigMap),
    references(Secret = "spec.secret")
)]
struct WebsiteSpec {
    host: String,
    secret: String,
}

fn website(namespace: &str) -> Value {
    json!({
        "apiVersion": "example.com/v1", "kind": "Website",
        "metadata": { "name": "site", "namespace": namespace },
        "spec": { "host": "example.com", "secret": "cert" },
    })
}

fn secret(namespace: &str, value: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Secret",
        "metadata": { "name": "cert", "namespace": namespace },
        "stringData": { "v": value },
    })
}

fn map(namespace: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": name, "namespace": namespace },
    })
}

/// Permits [`USER`] to list and watch in a namespace.
fn grant(cluster: &Cluster, namespace: &str) {
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
        "metadata": { "name": "operator", "namespace": namespace },
        "rules": [{
            "apiGroups": ["", "example.com"],
            "resources": ["websites", "secrets", "configmaps"],
            "verbs": ["list", "watch"],
        }],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding",
        "metadata": { "name": "operator", "namespace": namespace },
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "operator",
        },
        "subjects": [{ "kind": "ServiceAccount", "name": "operator", "namespace": "a" }],
    });
    cluster.control.create_direct(role).unwrap();
    cluster.control.create_direct(binding).unwrap();
}

fn keys(maps: &SharedInformer<ConfigMap>) -> String {
    let keys = maps.keys();
    let keys: Vec<_> = keys.iter().map(ToString::to_string).collect();
    keys.join(" ")
}

/// F-21, F-22: a controller with relations serves the namespaces that it may list, and those that it
/// may list later.
#[tokio::test]
async fn f22_a_controller_serves_the_permitted_namespaces_and_later_the_others() {
    let server = ApiServer::builder().object(&Website::crd());
    let cluster = Cluster::with(server.token(USER, Vec::<String>::new())).await;
    let control = &cluster.control;
    for namespace in ["a", "b", "c"] {
        control.create_direct(website(namespace)).unwrap();
        control.create_direct(secret(namespace, "1")).unwrap();
    }
    grant(&cluster, "a");
    let client = cluster.server.client_as(USER).unwrap();
    let builder = SharedInformerFactory::builder(client).config(quick());
    let factory = builder.namespaces(["b", "a"]).build().unwrap();
    let sites = factory.websites();
    let graph = sites.related(&factory);
    sync(&factory).await;
    factory.check_ready().unwrap();
    let debug = informer::debug::Service::new(&factory);
    let address = debug.serve("127.0.0.1:0").await.unwrap();
    for (path, remedies) in [("/readyz", 3), ("/", 3)] {
        let (code, body) = crate::debug::get(address, path).await;
        let told = body.matches("forbidden: grant `list` and `watch` on it: namespace `b`: ");
        assert_eq!(
            (code, told.count()),
            (200, remedies),
            "D-01, {path}: {body}"
        );
    }

    let (reconciled, mut seen) = mpsc::channel(64);
    let stop = CancellationToken::new();
    let controller = Controller::new("websites", &sites)
        .relations(&graph)
        .shutdown_on(stop.clone().cancelled_owned());
    let mut running = JoinSet::new();
    running.spawn(
        controller.run(Arc::new(reconciled), async |site: Arc<Website>, seen| {
            let _full = seen.try_send(ObjectKey::of(&*site).to_string());
            Ok::<(), std::convert::Infallible>(())
        }),
    );
    let mut next = async |what: &str| within(what, seen.recv()).await.unwrap();
    assert_eq!(next("the permitted site").await, "a/site");
    control.update_direct(secret("a", "2")).unwrap();
    assert_eq!(next("its changed secret").await, "a/site");

    // The refusal is visible in every cache, with the namespace and the server's words.
    for informer in factory.informers() {
        let status = informer.status();
        assert_eq!(status.state.as_str(), "degraded", "{}", informer.name());
        let [a, b] = &status.namespaces[..] else {
            panic!("{status:?}")
        };
        assert!(a.has_synced && a.failure.is_none() && !b.has_synced);
        assert_eq!(b.namespace.as_deref(), Some("b"));
        let refusal = b.failure.as_ref().unwrap().status().unwrap();
        assert_eq!(refusal.code, 403);
        assert!(
            refusal.message.contains("in the namespace \"b\""),
            "{}",
            refusal.message
        );
        assert_eq!(informer.metrics().labels.namespace, "a,b");
    }
    let b = ObjectKey::namespaced("b", "cert");
    let lister = graph.secrets().informer().lister();
    let unknown = lister.try_get_by_key(&b).unwrap_err();
    assert!(matches!(unknown, GetError::NotSynced { .. }), "{unknown}");

    grant(&cluster, "b");
    assert_eq!(next("the granted site").await, "b/site");
    let secrets = graph.secrets().informer();
    until_any_changed("the secrets of both", [&secrets.clone().into()], || {
        secrets.len() == 2
    })
    .await;
    control.update_direct(secret("b", "2")).unwrap();
    assert_eq!(next("the granted secret").await, "b/site");
    let both: BTreeSet<_> = sites
        .lister()
        .by_secret(&b)
        .iter()
        .map(|site| ObjectKey::of(&**site))
        .collect();
    assert_eq!(both, BTreeSet::from([ObjectKey::namespaced("b", "site")]));
    // The index is one for both namespaces, and the third one was never asked for.
    assert_eq!(sites.lister().by_host("example.com").len(), 2);
    assert_eq!(sites.len(), 2);
    stop.cancel();
    within("the controller's end", running.join_next())
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    factory.shutdown().await;
}

/// F-21, F-16: each namespace is listed and watched by itself, and a new list of one deletes nothing
/// of the other. Cluster-scoped kinds have one list.
#[tokio::test]
async fn f21_a_relist_of_one_namespace_keeps_the_objects_of_the_other() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        let control = &cluster.control;
        for (namespace, name) in [("a", "x"), ("a", "y"), ("b", "x"), ("c", "x")] {
            control.create_direct(map(namespace, name)).unwrap();
        }
        let builder = cluster.builder().config(quick().watch_list(mode));
        let factory = builder.namespaces(["a", "b"]).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        let all = factory.informer::<Namespace>();
        sync(&factory).await;
        assert_eq!(keys(&maps), "a/x a/y b/x");
        assert!(all.namespaces().is_empty() && all.len() >= 3);
        within("two watches", control.await_watches("configmaps", 2)).await;

        let before = control.requests().len();
        let gone = Fault::status(410, "Expired", "too old");
        let of_a = Matcher::any().resource("configmaps").namespace("a");
        control.fail_next(1, of_a.clone().verb(Verb::Watch), gone);
        control.pause_requests();
        control.disconnect_watches_of("configmaps");
        control
            .delete_direct("/api/v1/namespaces/a/configmaps/x")
            .unwrap();
        control
            .delete_direct("/api/v1/namespaces/b/configmaps/x")
            .unwrap();
        control.create_direct(map("b", "z")).unwrap();
        control.resume_requests();
        let is_current = || keys(&maps) == "a/y b/z";
        until_any_changed("the changes", [&maps.clone().into()], is_current).await;
        let lists = |namespace: &str| {
            let of = Matcher::any().resource("configmaps").namespace(namespace);
            let requests = control.requests();
            let later = requests
                .iter()
                .skip(before)
                .filter(|request| of.matches(request));
            later
                .filter(|request| {
                    let streams = request.parameter("sendInitialEvents").is_some();
                    let probes = request.parameter("limit").as_deref() == Some("1");
                    streams || (request.verb == Verb::List && !probes)
                })
                .count()
        };
        assert_eq!((lists("a"), lists("b")), (1, 0), "{mode:?}");
        let lister = maps.lister();
        assert_eq!(lister.namespace("b").list(&Selector::everything()).len(), 1);
        if mode == WatchListMode::Never {
            assert_eq!(maps.metrics().lists, 3);
        }
        factory.shutdown().await;
    }
}

/// F-23: a write is waited for in its namespace, without a bookmark of the other.
#[tokio::test]
async fn f23_a_write_is_waited_for_in_its_namespace() {
    let cluster = Cluster::start().await;
    let factory = cluster.builder().namespaces(["a", "b"]).build().unwrap();
    let secrets = factory.informer::<Secret>();
    sync(&factory).await;
    let written = cluster.control.create_direct(secret("b", "1")).unwrap();
    let version = written["metadata"]["resourceVersion"]
        .as_str()
        .unwrap()
        .into();
    let patience = std::time::Duration::from_secs(30);
    let waited = secrets.wait_for_resource_version_in("b", &version, patience);
    let snapshot = waited.await.unwrap();
    assert!(snapshot.get(&ObjectKey::namespaced("b", "cert")).is_some());
    factory.shutdown().await;
}
