//! Reads of relations in both directions.

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod, Secret, Service};
use serde_json::json;

use super::world::{
    PodInformer, ReplicaSetInformer, ServiceInformer, World, object, owned_by, pod, settled,
};
use crate::lister::GetError;
use crate::object::ObjectKey;
use crate::relations::{RelatedError, RelatedObject};
use crate::storage::Typed;

fn names<K: crate::Object>(objects: &[std::sync::Arc<K>]) -> Vec<String> {
    let keys = objects.iter().map(|object| ObjectKey::of(&**object));
    keys.map(|key| key.to_string()).collect()
}

/// Prints a related object as `key`, or as `key: error`.
fn print<H>(related: &RelatedObject<H>) -> String {
    match &related.object {
        Ok(_) => related.key.to_string(),
        Err(error) => error.to_string(),
    }
}

/// G-01, G-04.
#[tokio::test(start_paused = true)]
async fn references_are_read_in_both_directions() {
    let world: World<Typed> = World::new();
    let pods = PodInformer::new(&world);
    let graph = pods.related(&world);
    world.apply::<Pod>(&pod("a/web", "", "n1", &["tls", "registry"]));
    world.apply::<Pod>(&pod("a/db", "", "n1", &["tls", "tls"]));
    world.apply::<Pod>(&pod("b/web", "", "", &["tls"]));
    world.apply::<Secret>(&object("a/tls", "", json!(null)));
    world.apply::<Node>(&object("n1", "", json!({})));
    world.start(&pods).await;

    let key = ObjectKey::namespaced;
    let lister = pods.lister();
    assert_eq!(
        names(&lister.by_secret(&key("a", "tls"))),
        ["a/db", "a/web"]
    );
    assert_eq!(names(&lister.by_secret(&key("a", "registry"))), ["a/web"]);
    assert_eq!(names(&lister.by_secret(&key("b", "registry"))), [""; 0]);
    let node = ObjectKey::cluster("n1");
    assert_eq!(names(&lister.by_node(&node)), ["a/db", "a/web"]);

    let web = lister.namespace("a").get("web").unwrap();
    let secrets = graph.secrets_of(&web);
    assert!(secrets.iter().all(|secret| match &secret.object {
        Err(error) => matches!(error, RelatedError::Get(GetError::NotSynced { .. })),
        Ok(_) => false,
    }));
    world.start(graph.secrets().informer()).await;
    let secrets: Vec<String> = graph.secrets_of(&web).iter().map(print).collect();
    assert_eq!(secrets, ["secrets \"a/registry\" not found", "a/tls"]);
    world.stop().await;
}

/// G-04.
#[tokio::test(start_paused = true)]
async fn a_refused_list_is_named_as_the_reason_of_a_missing_object() {
    use crate::source::SourceError;
    use crate::wire::ApiStatus;

    let world: World<Typed> = World::new();
    let pods = PodInformer::new(&world);
    let graph = pods.related(&world);
    world.apply::<Pod>(&pod("a/web", "", "", &["tls"]));
    world.start(&pods).await;
    let secrets = world.source::<Secret>();
    let refusal = || SourceError::Status(ApiStatus::new(403, "Forbidden", "no").into());
    secrets.set_supports_watch_list(false);
    secrets.list_error(refusal());
    world.run(graph.secrets().informer());
    settled().await;

    let web = pods.lister().namespace("a").get("web").unwrap();
    let [secret] = graph.secrets_of(&web).try_into().unwrap();
    let error = secret.object.unwrap_err();
    assert!(matches!(error, RelatedError::Forbidden { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "secrets \"a/tls\" is forbidden: grant `list` and `watch` on it"
    );
    world.stop().await;
}

/// G-01, G-03.
#[tokio::test(start_paused = true)]
async fn owned_objects_are_found_by_their_controller() {
    let world: World<Typed> = World::new();
    let sets = ReplicaSetInformer::new(&world);
    let graph = sets.related(&world);
    world.apply::<ReplicaSet>(&object("a/web", "", json!({"selector": {}})));
    world.apply::<Pod>(&owned_by(pod("a/1", "", "", &[]), "web"));
    world.apply::<Pod>(&owned_by(pod("a/2", "", "", &[]), "db"));
    world.apply::<Pod>(&pod("a/3", "", "", &[]));
    world.start(&sets).await;
    world.start(graph.pods().informer()).await;

    let web = sets.lister().namespace("a").get("web").unwrap();
    assert_eq!(names(&graph.pods_of(&web)), ["a/1"]);
    // A new object with an old name does not own the objects of its predecessor.
    let mut second = (*web).clone();
    second.metadata.uid = Some("second".to_owned());
    assert_eq!(names(&graph.pods_of(&second)), [""; 0]);
    let key = ObjectKey::namespaced("a", "web");
    assert_eq!(names(&graph.pods().of_key(&key)), ["a/1"]);
    // One relation alone, and its clones, read the same index.
    let owned = sets.owned::<Pod, _>(&world);
    assert_eq!(names(&owned.clone().of(&web)), ["a/1"]);
    assert_eq!(graph.pods().informer().indexer().index_names().len(), 2);
    world.stop().await;
}

/// G-01, G-06.
#[tokio::test(start_paused = true)]
async fn selectors_are_read_in_both_directions() {
    let world: World<Typed> = World::new();
    let services = ServiceInformer::new(&world);
    let graph = services.related(&world);
    let service = |key, selector| {
        world.apply::<Service>(&object(key, "", json!({ "selector": selector })));
    };
    service("a/web", json!({"app": "web"}));
    service("a/web-a", json!({"app": "web", "tier": "a"}));
    service("a/none", json!({}));
    service("a/external", json!(null));
    service("b/web", json!({"app": "web"}));
    world.apply::<Pod>(&pod("a/1", "app=web,tier=a", "", &[]));
    world.apply::<Pod>(&pod("a/2", "app=web", "", &[]));
    world.apply::<Pod>(&pod("b/1", "app=web", "", &[]));
    world.start(&services).await;
    world.start(graph.pods().informer()).await;

    let pods = graph.pods().informer().lister();
    let services = services.lister();
    let pod = |namespace: &str, name: &str| pods.namespace(namespace).get(name).unwrap();
    assert_eq!(
        names(&services.selecting(&pod("a", "1"))),
        ["a/web", "a/web-a"]
    );
    assert_eq!(names(&services.selecting(&pod("a", "2"))), ["a/web"]);
    assert_eq!(names(&services.selecting(&pod("b", "1"))), ["b/web"]);

    let service = |name: &str| services.namespace("a").get(name).unwrap();
    assert_eq!(names(&graph.pods_of(&service("web"))), ["a/1", "a/2"]);
    assert_eq!(names(&graph.pods_of(&service("web-a"))), ["a/1"]);
    assert_eq!(names(&graph.pods_of(&service("none"))), [""; 0]);
    assert_eq!(names(&graph.pods_of(&service("external"))), [""; 0]);
    world.stop().await;
}
