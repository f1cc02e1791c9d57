//! Requests and decodes of a change of slices.

use informer_runtime::WatchListMode;

use super::world::{COUNT, World, key, put, slices};
use crate::shards::slices::ShardBy;
use crate::tests::server::Server;

/// A gain costs one list of what enters and one watch; a loss one watch at most, and no list.
/// Nothing that is kept is decoded again, and nothing foreign.
#[tokio::test(start_paused = true)]
async fn p10_a_change_of_slices_lists_and_decodes_only_what_enters() {
    for (is_sharded, mode) in [
        (true, WatchListMode::Never),
        (false, WatchListMode::Never),
        (true, WatchListMode::Auto),
        (false, WatchListMode::Auto),
    ] {
        let server = Server::new(1);
        server.shard(is_sharded);
        for namespace in 0..40 {
            for name in 0..5 {
                put(&server, &key(namespace, name), 0);
            }
        }
        let world = World::new(&server, ShardBy::Namespace, mode);
        let selector =
            |members: &[u16]| ShardBy::Namespace.selector(members.iter().copied(), COUNT);
        let of = |slice| u64::try_from(world.expected(&slices([slice])).len()).unwrap();
        let decoded = || world.informer.metrics().decoded_objects;
        let mut requests = (0, 0);
        // All lists and watches are in the metrics.
        let mut reads = || {
            let reads = server.take_shard_reads();
            let lists = reads.iter().filter(|(verb, _)| *verb == "LIST").count() as u64;
            requests.0 += lists;
            requests.1 += reads.len() as u64 - lists;
            let metrics = world.informer.metrics();
            assert_eq!((metrics.list_requests, metrics.watch_requests), requests);
            reads
        };
        world.informer.wait_for_sync().await.unwrap();
        assert_eq!(decoded(), 0);
        world.cached.enter(&slices([0])).await;
        world.settle().await;
        assert_eq!(decoded(), of(0));
        reads();

        world.cached.enter(&slices([1])).await;
        assert_eq!(world.cached(), world.expected(&slices([0, 1])));
        world.settle().await;
        let listed = ("LIST", selector(&[1]));
        let watched = ("WATCH", selector(&[0, 1]));
        assert_eq!(reads(), [listed, watched]);
        assert_eq!(decoded(), of(0) + of(1));
        assert_eq!(world.seen.lock().entered.len() as u64, of(0) + of(1));

        world.cached.leave(&slices([0])).await;
        assert_eq!(world.cached(), world.expected(&slices([1])));
        world.settle().await;
        let watched = is_sharded.then(|| ("WATCH", selector(&[1])));
        assert_eq!(reads(), Vec::from_iter(watched));
        assert_eq!(decoded(), of(0) + of(1));
        assert_eq!(world.seen.lock().left.len() as u64, of(0));
        assert_eq!(world.cached.is_ignored(), !is_sharded);
    }
}

/// Of several replicas, each decodes its part, whether or not the server applies the selectors.
#[tokio::test(start_paused = true)]
async fn p10_each_replica_decodes_its_part_of_the_objects() {
    for by in [ShardBy::Namespace, ShardBy::Uid] {
        for is_sharded in [true, false] {
            let server = Server::new(1);
            server.shard(is_sharded);
            for namespace in 0..400 {
                put(&server, &key(namespace, 0), 0);
            }
            let mut all = 0;
            for replica in 0..COUNT {
                let world = World::new(&server, by, WatchListMode::Auto);
                world.cached.enter(&slices([replica])).await;
                world.settle().await;
                let decoded = world.informer.metrics().decoded_objects;
                assert!(decoded <= 125, "{decoded} of 400");
                all += decoded;
            }
            assert_eq!(all, 400);
        }
    }
}
