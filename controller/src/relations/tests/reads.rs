//! Reads of relations in both directions.

use informer_runtime::{GetError, ObjectKey, SharedInformer, Typed};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::Pod;
use serde_json::json;

use super::world::{SECRETS, World, object, owned_by, pod};
use crate::relations::{ReferencedObjects, RelatedError};
use crate::tests::settled;

fn names<K: informer_runtime::Object>(objects: &[std::sync::Arc<K>]) -> Vec<String> {
    let keys = objects.iter().map(|object| ObjectKey::of(&**object));
    keys.map(|key| key.to_string()).collect()
}

/// G-04.
#[tokio::test(start_paused = true)]
async fn a_refused_list_is_named_as_the_reason_of_a_missing_object() {
    let world: World<Typed> = World::new();
    let secrets = ReferencedObjects::new(&world.informer(), SECRETS, &world);
    world
        .server
        .fail(|target| (target.resource == "secrets").then_some((403, "Forbidden")));
    let web: Pod = serde_json::from_value(pod("a/web", "", "", &["tls"])).unwrap();
    let miss = || {
        let [secret] = secrets.of(&web).try_into().unwrap();
        secret.object.unwrap_err()
    };
    let error = miss();
    let is_unknown = matches!(error, RelatedError::Get(GetError::NotSynced { .. }));
    assert!(is_unknown, "{error}");
    world.factory.start().unwrap();
    settled().await;
    let error = miss();
    assert!(matches!(error, RelatedError::Forbidden { .. }), "{error}");
    assert_eq!(
        error.to_string(),
        "secrets \"a/tls\" is forbidden: grant `list` and `watch` on it"
    );
}

/// G-01, G-03.
#[tokio::test(start_paused = true)]
async fn owned_objects_are_found_by_their_controller() {
    let world: World<Typed> = World::new();
    let sets: SharedInformer<ReplicaSet> = world.informer();
    let pods = world.pods_of_sets();
    world.apply::<ReplicaSet>(&object("a/web", "", json!({"selector": {}})));
    world.apply::<Pod>(&owned_by(pod("a/1", "", "", &[]), "web"));
    world.apply::<Pod>(&owned_by(pod("a/2", "", "", &[]), "db"));
    world.apply::<Pod>(&pod("a/3", "", "", &[]));
    world.start().await;

    let web = sets.lister().namespace("a").get("web").unwrap();
    assert_eq!(names(&pods.of(&web)), ["a/1"]);
    // A new object with an old name does not own the objects of its predecessor.
    let mut second = (*web).clone();
    second.metadata.uid = Some("second".to_owned());
    assert_eq!(names(&pods.of(&second)), [""; 0]);
    let key = ObjectKey::namespaced("a", "web");
    assert_eq!(names(&pods.of_key(&key)), ["a/1"]);
    // The same relation, and its clones, read the same index.
    let again = world.pods_of_sets();
    assert_eq!(names(&again.clone().of(&web)), ["a/1"]);
    assert_eq!(pods.informer().indexer().index_names().len(), 2);
}
