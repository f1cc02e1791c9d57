//! Replicas that share the objects.

use std::collections::BTreeSet;
use std::time::Duration;

use informer::shards::{ShardBy, Shards};
use informer::{Selector, SharedInformer, SharedInformerFactory};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::ResourceExt as _;

use super::{World, scenarios};
use crate::support::{ENCODINGS, quick, until_any_changed, within};

const OBJECTS: usize = 40;

/// Replica with a cache of its part.
struct Replica {
    shards: Shards,
    factory: SharedInformerFactory,
    maps: SharedInformer<ConfigMap>,
}

// === impl Replica ===

impl Replica {
    async fn join(world: &World, identity: &str) -> Self {
        let shards = Shards::builder(world.client.clone(), "replicas")
            .namespace(&world.namespace)
            .by(ShardBy::Uid)
            .slices(8)
            .identity(identity)
            .retry_period(Duration::from_millis(50));
        let shards = within("a replica joins", shards.join()).await.unwrap();
        let factory = world.builder(quick()).shards(&shards).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        Self {
            shards,
            factory,
            maps,
        }
    }

    fn names(&self) -> BTreeSet<String> {
        let maps = self.maps.lister().list(&Selector::everything());
        maps.iter().map(|map| map.name_any()).collect()
    }
}

/// Waits until each object is in one cache, and each cache has some.
async fn until_shared(what: &str, replicas: &[&Replica], objects: usize) {
    let is_shared = || {
        let parts = replicas.iter().map(|replica| replica.names());
        let parts: Vec<BTreeSet<String>> = parts.collect();
        let all: BTreeSet<&String> = parts.iter().flatten().collect();
        all.len() == objects
            && parts.iter().map(BTreeSet::len).sum::<usize>() == objects
            && parts.iter().all(|part| !part.is_empty())
    };
    let informers = replicas.iter().map(|replica| &*replica.maps);
    until_any_changed(what, informers, is_shared).await;
}

scenarios! {
    /// P-01, P-03. Shard selectors are enabled on the real server.
    #[tokio::test]
    async fn p01_replicas_share_the_objects_and_take_over(world: World) {
        for number in 0..OBJECTS {
            world.create(&format!("map-{number}"), "1").await;
        }
        let a = Replica::join(&world, "a").await;
        until_shared("one replica has all", &[&a], OBJECTS).await;
        let b = Replica::join(&world, "b").await;
        until_shared("two replicas share", &[&a, &b], OBJECTS).await;
        world.delete("map-0").await;
        world.create("map-more", "1").await;
        world.create("map-last", "1").await;
        until_shared("both follow the server", &[&a, &b], OBJECTS + 1).await;
        within("a leaves", a.shards.leave()).await;
        until_shared("the other has all", &[&b], OBJECTS + 1).await;
        assert!(a.names().is_empty());
        within("b leaves", b.shards.leave()).await;
        a.factory.shutdown().await;
        b.factory.shutdown().await;
    }
}
