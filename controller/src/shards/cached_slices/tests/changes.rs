//! Any sequence of writes, faults, and slices that enter and leave.

use std::time::Duration;

use informer_runtime::WatchListMode;
use proptest::prelude::*;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::world::{COUNT, World, key, put, slices};
use crate::shards::slices::ShardBy;
use crate::tests::server::Server;

#[derive(Debug, Clone)]
enum Step {
    Put(usize, usize, u32),
    Delete(usize, usize),
    Enter(Vec<u16>),
    Leave(Vec<u16>),
    Disconnect,
    Compact,
    Bookmark,
    /// Lets the server apply shard selectors, or ignore them.
    Shard(bool),
    /// Fails lists and watches, or neither.
    Fail(bool, bool),
    /// Stops a handler that blocks the informer, or lets it go on.
    Stick(bool),
    /// Waits until all slices have entered or left.
    Join,
    Yield(u8),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Step> {
    let some = || prop::collection::vec(0..COUNT, 1..3);
    prop_oneof![
        8 => (0..5_usize, 0..2_usize, any::<u32>())
            .prop_map(|(namespace, name, value)| Step::Put(namespace, name, value)),
        4 => (0..5_usize, 0..2_usize).prop_map(|(namespace, name)| Step::Delete(namespace, name)),
        4 => some().prop_map(Step::Enter),
        3 => some().prop_map(Step::Leave),
        2 => Just(Step::Disconnect),
        1 => Just(Step::Compact),
        2 => Just(Step::Bookmark),
        1 => any::<bool>().prop_map(Step::Shard),
        1 => any::<(bool, bool)>().prop_map(|(lists, watches)| Step::Fail(lists, watches)),
        2 => any::<bool>().prop_map(Step::Stick),
        2 => Just(Step::Join),
        6 => (1..12_u8).prop_map(Step::Yield),
        4 => (0..400_u64).prop_map(Step::Wait),
    ]
}

async fn join(changes: &mut JoinSet<()>) {
    let joined = async {
        while let Some(joined) = changes.join_next().await {
            joined.unwrap();
        }
    };
    timeout(Duration::from_secs(600), joined).await.unwrap();
}

async fn run(steps: Vec<Step>, by: ShardBy, mode: WatchListMode, delay: u64) {
    let server = Server::new(delay);
    server.delay(Duration::from_millis(delay));
    let world = World::new(&server, by, mode);
    let mut changes = JoinSet::new();
    let mut version = 0;
    for step in steps {
        match step {
            Step::Put(namespace, name, value) => put(&server, &key(namespace, name), value),
            Step::Delete(namespace, name) => {
                server.put("configmaps", &key(namespace, name), None);
            }
            Step::Enter(some) => {
                changes.spawn(world.cached.enter(&slices(some)));
            }
            Step::Leave(some) => {
                changes.spawn(world.cached.leave(&slices(some)));
            }
            Step::Disconnect => server.disconnect(),
            Step::Compact => server.compact(),
            Step::Bookmark => server.bookmark(),
            Step::Shard(is_sharded) => server.shard(is_sharded),
            Step::Fail(lists, watches) => server.fail(move |target| {
                let fails = if target.is_watch() { watches } else { lists };
                fails.then_some((503, "ServiceUnavailable"))
            }),
            Step::Stick(is_stuck) => _ = world.stuck.send_replace(is_stuck),
            Step::Join => {
                server.fail(|_| None);
                world.stuck.send_replace(false);
                join(&mut changes).await;
                assert!(world.caches_owned_only());
                assert_eq!(world.retained_alive(), []);
            }
            Step::Yield(times) => {
                for _ in 0..times {
                    tokio::task::yield_now().await;
                }
            }
            Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        }
        let reached = world.version();
        assert!(reached >= version, "{reached} after {version}");
        version = reached;
    }
    server.fail(|_| None);
    world.stuck.send_replace(false);
    join(&mut changes).await;
    world.settle().await;
    assert_eq!(world.retained_alive(), []);
    world.factory.shutdown().await;
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// The cache becomes the server's objects of the slices, the notifications lead to the same, and
    /// the version of the store never goes back. What left with its slice is not retained as deleted.
    #[test]
    fn p11_any_changes_end_with_the_objects_of_the_slices(
        steps in prop::collection::vec(steps(), 1..40),
        by_uid in any::<bool>(),
        streams in any::<bool>(),
        delay in prop::sample::select(&[0, 1, 50][..]),
    ) {
        let by = if by_uid { ShardBy::Uid } else { ShardBy::Namespace };
        let mode = if streams { WatchListMode::Auto } else { WatchListMode::Never };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(run(steps, by, mode, delay));
    }
}
