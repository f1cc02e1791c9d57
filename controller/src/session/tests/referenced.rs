//! Reads of caches of only what is referenced.

use std::collections::BTreeMap;
use std::time::Duration;

use informer_runtime::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::{Value, json};

use super::runs::{run_seed, runs};
use super::world::{World, map, object};
use crate::relations::{Reference, ReferencedCache};
use crate::session::{SessionApi, SessionError};
use crate::tests::server::Server;
use crate::tests::{secs, settled};

const NAMES: [&str; 3] = ["x", "y", "z"];

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

/// Returns the Secrets that the keys of a config map name.
fn mentioned(map: &ConfigMap) -> Vec<ObjectKey> {
    let names = map.data.iter().flatten();
    names.map(|(name, _)| key(name)).collect()
}

fn refer(server: &Server, referrer: &str, names: &[&str]) {
    let names: BTreeMap<&str, &str> = names.iter().map(|name| (*name, "")).collect();
    let data = json!({ "data": names });
    server.put("configmaps", &key(referrer), Some(data));
}

fn secret(name: &str, value: &str) -> Secret {
    let meta = json!({ "namespace": "a", "name": name });
    object(json!({ "metadata": meta, "type": value }))
}

/// Starts a cache of the Secrets that are mentioned: of `NAMES`, to begin with.
async fn cache(world: &World) -> (ReferencedCache<Secret>, SessionApi<Secret>) {
    refer(&world.server, "all", &NAMES);
    let referrers = world.factory.informer::<ConfigMap>();
    let reference = Reference::new("data", mentioned);
    let cache = ReferencedCache::builder(&world.factory, &referrers, reference);
    let cache = cache.promote_at(5).grace_period(secs(1)).build().unwrap();
    world.start().await;
    cache.wait_for_sync().await.unwrap();
    settled().await;
    (cache, world.session.api("a"))
}

/// N-02. What the cache copies from its watches is in it too.
#[tokio::test(start_paused = true)]
async fn n02_a_referenced_cache_shows_each_write_of_a_mentioned_object() {
    let world = World::new();
    let (cache, secrets) = cache(&world).await;
    world.server.delay(secs(2));
    let shown = async || {
        let view = world.session.read(&cache).await.unwrap();
        let shown = view.get(&key("x")).and_then(|secret| secret.type_.clone());
        assert_eq!(view.snapshot().len(), usize::from(shown.is_some()));
        shown
    };
    assert_eq!(shown().await, None);
    world.server.hold("secrets");
    secrets.create(&secret("x", "1")).await.unwrap();
    world.session.try_read(&cache).unwrap_err();
    world.server.release();
    assert_eq!(shown().await.as_deref(), Some("1"));
    secrets.replace(&secret("x", "2")).await.unwrap();
    assert_eq!(shown().await.as_deref(), Some("2"));
    let params = DeleteParams::default();
    secrets.delete("x", &params).await.unwrap();
    assert_eq!(shown().await, None);
    assert!(world.session.try_read(&cache).is_ok());
    assert!(world.session.unseen().is_empty());
    // A mention that is new: the first list of its watch has the write.
    secrets.create(&secret("new", "1")).await.unwrap();
    refer(&world.server, "one", &["new"]);
    tokio::time::sleep(secs(9)).await;
    let view = world.session.read(&cache).await.unwrap();
    assert!(view.get(&key("new")).is_some());
}

#[tokio::test(start_paused = true)]
async fn n02_a_write_of_what_is_not_mentioned_concerns_no_read_of_a_referenced_cache() {
    let world = World::new();
    let (cache, secrets) = cache(&world).await;
    world.server.hold("secrets");
    secrets.create(&secret("other", "1")).await.unwrap();
    let view = world.session.try_read(&cache).unwrap();
    assert!(view.left_out().is_empty());
    assert!(world.session.unseen().is_empty(), "no watch follows it");
    secrets.create(&secret("y", "1")).await.unwrap();
    let error = world.session.read(&cache).await.unwrap_err();
    let error = error.to_string();
    assert!(error.contains("create of secrets \"a/y\""), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_referenced_cache_that_was_stopped_or_is_foreign_is_an_error() {
    let (world, other) = (World::new(), World::new());
    let (cache, secrets) = cache(&world).await;
    let _maps = other.factory.informer::<ConfigMap>();
    other.start().await;
    other.server.hold("configmaps");
    other.api.create(&map("x", "1")).await.unwrap();
    let foreign = other.session.read(&cache).await.unwrap_err();
    assert!(matches!(foreign, SessionError::Foreign), "{foreign}");
    secrets.create(&secret("x", "1")).await.unwrap();
    world.factory.shutdown().await;
    for error in [
        world.session.read(&cache).await.unwrap_err(),
        world.session.try_read(&cache).unwrap_err(),
    ] {
        assert!(matches!(error, SessionError::Stopped { .. }), "{error}");
    }
}

/// N-02, N-04. Random writes, while names move between watches of one object and of the namespace.
#[test]
fn n02_no_read_of_a_referenced_cache_lacks_an_earlier_write() {
    for seed in 0..runs() / 4 {
        run_seed(seed, model(seed));
    }
}

async fn model(seed: usize) {
    let mut rng = fastrand::Rng::with_seed(seed as u64);
    let world = World::over(Server::new(rng.u64(..)));
    let session = world.session.clone().within(secs(60));
    let (cache, secrets) = cache(&world).await;
    world.server.delay(Duration::from_millis(rng.u64(1..1500)));
    let mut model: BTreeMap<String, String> = BTreeMap::new();
    for round in 0..rng.usize(5..30) {
        let name = NAMES[rng.usize(0..NAMES.len())];
        let (value, exists) = (round.to_string(), model.contains_key(name));
        match rng.u8(0..7) {
            0 | 1 => {
                let secret = secret(name, &value);
                let written = if exists {
                    secrets.replace(&secret).await
                } else {
                    secrets.create(&secret).await
                };
                written.unwrap();
                model.insert(name.to_owned(), value);
            }
            2 if exists => {
                let params = DeleteParams::default();
                secrets.delete(name, &params).await.unwrap();
                model.remove(name);
            }
            3 => world.server.disconnect(),
            // Many names: the namespace is watched. Few names: each of them is.
            4 => refer(&world.server, "many", &["p", "q", "r", "s"]),
            5 => _ = world.server.put("configmaps", &key("many"), None::<Value>),
            _ => tokio::time::sleep(Duration::from_millis(rng.u64(0..2000))).await,
        }
        if rng.bool() {
            let view = session.read(&cache).await.unwrap();
            for name in NAMES {
                let shown = view.get(&key(name)).and_then(|secret| secret.type_.clone());
                assert_eq!(shown.as_ref(), model.get(name));
            }
            let snapshot = view.snapshot();
            let names: Vec<_> = snapshot.iter().map(ResourceExt::name_any).collect();
            assert!(names.iter().eq(model.keys()), "{names:?}");
        }
    }
}
