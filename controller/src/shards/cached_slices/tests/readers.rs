//! Relations and sessions over the part of a replica.

use std::time::Duration;

use informer_runtime::{GetError, InformerOptions, ObjectKey, WatchListMode};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::world::{COUNT, World, key, put, slices};
use crate::relations::{Reference, ReferencedObjects, RelatedError};
use crate::session::Session;
use crate::shards::slices::{ShardBy, hash, slice_of};
use crate::tests::server::Server;

/// Returns a key in the first slice, and one in another slice.
fn own_and_foreign() -> (ObjectKey, ObjectKey) {
    let keys: Vec<ObjectKey> = (0..20).map(|namespace| key(namespace, 0)).collect();
    let slice = |key: &&ObjectKey| {
        let namespace = key.namespace().unwrap();
        slice_of(hash(namespace), COUNT)
    };
    let own = keys.iter().find(|key| slice(key) == 0).unwrap();
    let foreign = keys.iter().find(|key| slice(key) == 3).unwrap();
    (own.clone(), foreign.clone())
}

fn world(server: &Server) -> World {
    World::new(server, ShardBy::Namespace, WatchListMode::Never)
}

/// A list that is queued is not in the cache yet.
#[tokio::test(start_paused = true)]
async fn p10_slices_have_entered_when_the_cache_has_them() {
    let server = Server::new(1);
    let world = world(&server);
    for namespace in 0..40 {
        put(&server, &key(namespace, 0), 0);
    }
    world.informer.wait_for_sync().await.unwrap();
    world.cached.enter(&slices([0])).await;
    world.stuck.send_replace(true);
    for key in world.cached().keys() {
        put(&server, key, 1);
        sleep(Duration::from_secs(1)).await;
    }
    // The next list has the slice that enters.
    server.fail(|_| Some((503, "Unavailable")));
    server.compact();
    sleep(Duration::from_secs(1)).await;
    let mut entering = JoinSet::new();
    entering.spawn(world.cached.enter(&slices([1])));
    server.fail(|_| None);
    sleep(Duration::from_secs(60)).await;
    assert!(entering.try_join_next().is_none(), "the store is stuck");
    world.stuck.send_replace(false);
    entering.join_next().await.unwrap().unwrap();
    assert_eq!(world.cached(), world.expected(&slices([0, 1])));
}

/// A reference into the slice of another replica says so, unless the informer is exempt.
#[tokio::test(start_paused = true)]
async fn p12_a_reference_into_a_foreign_slice_is_not_in_shard() {
    let server = Server::new(1);
    let world = world(&server);
    let (own, foreign) = own_and_foreign();
    world.cached.enter(&slices([0])).await;
    for secret in [&own, &foreign] {
        server.put("secrets", secret, Some(json!({})));
    }
    let missing = ObjectKey::namespaced(own.namespace().unwrap(), "missing");
    // A config map that refers to three Secrets.
    let keys = [&own, &foreign, &missing]
        .map(ToString::to_string)
        .join(" ");
    let data = json!({ "keys": keys });
    let referrer: ConfigMap = serde_json::from_value(json!({ "data": data })).unwrap();
    let reference = Reference::<ConfigMap, Secret>::new("secrets", |map| {
        let keys = map.data.as_ref().unwrap()["keys"].split(' ');
        keys.map(|key| key.parse().unwrap()).collect()
    });
    let of = |options| {
        let secrets = world.factory.informer_with::<Secret>(options);
        ReferencedObjects::over(&world.informer, reference, secrets)
    };
    let (sharded, whole) = (
        of(InformerOptions::new()),
        of(InformerOptions::new().unsharded()),
    );
    world.factory.wait_for_cache_sync().await.unwrap();
    let result = |related: &ReferencedObjects<ConfigMap, Secret>, key: &ObjectKey| {
        let mut related = related.of(&referrer).into_iter();
        related.find(|found| found.key == *key).unwrap().object
    };
    let is_missing =
        |error: &RelatedError| matches!(error, RelatedError::Get(GetError::NotFound { .. }));
    assert!(result(&sharded, &own).is_ok());
    let error = result(&sharded, &foreign).unwrap_err();
    let is_named = |error: &GetError| matches!(error, GetError::NotInShard { .. });
    assert!(
        matches!(&error, RelatedError::Get(error) if is_named(error)),
        "{error}"
    );
    let error = sharded
        .informer()
        .lister()
        .try_get_by_key(&foreign)
        .unwrap_err();
    assert!(is_named(&error), "{error}");
    assert!(is_missing(&result(&sharded, &missing).unwrap_err()));
    assert!(result(&whole, &own).is_ok());
    assert!(result(&whole, &foreign).is_ok());
    assert!(is_missing(&result(&whole, &missing).unwrap_err()));
    assert_eq!(whole.informer().len(), 2);
}

/// A write into the slice of another replica blocks no read, also if the slice leaves later.
#[tokio::test(start_paused = true)]
async fn p12_a_write_into_a_foreign_slice_does_not_block() {
    let server = Server::new(1);
    let world = world(&server);
    let (own, foreign) = own_and_foreign();
    for map in [&own, &foreign] {
        put(&server, map, 0);
    }
    world.cached.enter(&slices([0])).await;
    world.informer.wait_for_sync().await.unwrap();
    let session = Session::new(&world.factory);
    let write = async |key: &ObjectKey| {
        let api = session.api::<ConfigMap>(key.namespace().unwrap());
        let data = json!({ "data": { "value": "1" } });
        let patch = kube::api::Patch::Merge(data);
        let params = kube::api::PatchParams::default();
        api.patch(key.name(), &params, &patch).await.unwrap();
    };
    let lister = world.informer.lister();
    server.hold("configmaps");
    write(&foreign).await;
    let view = session.read(&lister).await.unwrap();
    assert_eq!(view.left_out().len(), 1);
    write(&own).await;
    assert!(session.read(&lister).await.is_err(), "the watch is silent");
    // A read that waits when the slice leaves.
    let began = Instant::now();
    let leave = async { world.cached.leave(&slices([0])).await };
    let (view, ()) = tokio::join!(session.read(&lister), leave);
    assert_eq!(view.unwrap().left_out().len(), 2);
    assert_eq!(began.elapsed(), Duration::ZERO);
}

/// The leaving of a slice without objects does not change the cache, and ends the wait all the same.
#[tokio::test(start_paused = true)]
async fn p12_a_read_that_waits_for_an_empty_slice_ends_when_the_slice_leaves() {
    let server = Server::new(1);
    let world = world(&server);
    let (own, _) = own_and_foreign();
    world.cached.enter(&slices([0])).await;
    world.informer.wait_for_sync().await.unwrap();
    let session = Session::new(&world.factory);
    server.hold("configmaps");
    let mut map = ConfigMap::default();
    map.metadata.name = Some(own.name().to_owned());
    let api = session.api::<ConfigMap>(own.namespace().unwrap());
    api.create(&map).await.unwrap();
    let lister = world.informer.lister();
    let leave = async { world.cached.leave(&slices([0])).await };
    let (view, ()) = tokio::join!(session.read(&lister), leave);
    assert_eq!(view.unwrap().left_out().len(), 1);
}
