//! Random histories of referrers, objects and failures, compared with the server at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use informer_runtime::{GetError, ObjectKey, Undecodable};
use proptest::prelude::*;
use serde_json::json;

use super::super::plan::REFUSAL_MEMORY;
use super::world::{GRACE, Limits, Notes, World, advance, idle, key, version};
use crate::relations::{ReferencedError, RelatedError};
use crate::tests::on_paused_clock;

const NAMES: [&str; 9] = [
    "n/a", "n/b", "n/c", "n/d", "n/e", "n/f", "m/a", "m/b", "m/c",
];

/// Answers of a server that fails.
const STATUSES: [(u16, &str); 5] = [
    (403, "Forbidden"),
    (401, "Unauthorized"),
    (404, "NotFound"),
    (500, "InternalError"),
    (503, "ServiceUnavailable"),
];

#[derive(Debug, Clone)]
enum Move {
    /// Replaces the mentions of a referrer: a bit for each name.
    Refer(usize, u16),
    RemoveReferrer(usize),
    Put(usize),
    /// Writes a version that does not decode.
    PutBad(usize),
    Delete(usize),
    Disconnect,
    Compact,
    /// Fails nothing, watches of namespaces, the first names, or everything, with a status.
    Fail(u8, usize),
    Advance(u64),
    Idle,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (0_usize..3, 0_u16..512).prop_map(|(referrer, names)| Move::Refer(referrer, names)),
        1 => (0_usize..3).prop_map(Move::RemoveReferrer),
        6 => (0..NAMES.len()).prop_map(Move::Put),
        2 => (0..NAMES.len()).prop_map(Move::PutBad),
        3 => (0..NAMES.len()).prop_map(Move::Delete),
        1 => Just(Move::Disconnect),
        1 => Just(Move::Compact),
        2 => (0_u8..4, 0..STATUSES.len()).prop_map(|(part, status)| Move::Fail(part, status)),
        2 => (0_u64..60).prop_map(Move::Advance),
        3 => Just(Move::Idle),
    ];
    prop::collection::vec(one, 1..60)
}

/// Mentions of each referrer.
type Referrers = BTreeMap<usize, BTreeSet<ObjectKey>>;

async fn play(world: &World, step: &Move, referrers: &mut Referrers) {
    match *step {
        Move::Refer(referrer, bits) => {
            let names = NAMES
                .iter()
                .enumerate()
                .filter(|(bit, _)| bits & (1 << bit) != 0);
            let names: Vec<&str> = names.map(|(_, name)| *name).collect();
            world.refer(&referrer.to_string(), &names.join(" "));
            referrers.insert(referrer, names.into_iter().map(key).collect());
        }
        Move::RemoveReferrer(referrer) => {
            world.remove_referrer(&referrer.to_string());
            referrers.remove(&referrer);
        }
        Move::Put(name) => world.put(NAMES[name]),
        Move::Delete(name) => world.delete(NAMES[name]),
        Move::Disconnect => world.server.disconnect(),
        Move::Compact => world.server.compact(),
        Move::PutBad(name) => world.put_data(NAMES[name], &json!({"k": 7})),
        Move::Fail(part, status) => {
            let (code, reason) = STATUSES[status];
            world.refuse(code, reason, move |scope| {
                let is_named = scope.selected_name().is_some();
                let is_first = scope.selected_name().is_some_and(|name| name < "c");
                let is_failing = [false, !is_named, is_first, true][usize::from(part)];
                scope.resource == "secrets" && is_failing
            });
        }
        Move::Advance(seconds) => advance(Duration::from_secs(seconds)).await,
        Move::Idle => idle().await,
    }
}

async fn check(limits: Limits, history: Vec<Move>) {
    let world = World::new();
    world.put("n/a n/c m/b n/foreign");
    world.refer("0", "n/a n/b");
    let mut referrers = Referrers::from([(0, [key("n/a"), key("n/b")].into())]);
    let cache = world.cache(limits);
    let notes = Notes::of(&cache);
    world.factory.start().unwrap();
    for step in &history {
        play(&world, step, &mut referrers).await;
        let status = cache.status();
        assert!(status.single_watches <= limits.0, "{status:?}");
    }
    // Quiescence.
    world.fail(|_| false);
    advance(2 * REFUSAL_MEMORY + 2 * GRACE).await;
    cache.wait_for_sync().await.unwrap();

    let referenced: BTreeSet<ObjectKey> = referrers.into_values().flatten().collect();
    let existing = world.versions();
    let mut expected = BTreeMap::new();
    let mut expected_marks = BTreeMap::new();
    let mut unwatched = 0;
    for key in &referenced {
        match (cache.try_get(key), existing.get(key)) {
            (Ok(found), Some(current)) if version(&*found) == *current => {
                expected.insert(key.clone(), current.clone());
            }
            (Err(ReferencedError::Related(error)), None) if error.is_not_found() => {}
            (
                Err(ReferencedError::Related(RelatedError::Get(GetError::Undecodable {
                    resource_version,
                    ..
                }))),
                Some(current),
            ) if resource_version.to_string() == *current => {
                expected_marks.insert(key.clone(), current.clone());
            }
            (Err(ReferencedError::TooMany { .. }), _) => unwatched += 1,
            (found, current) => panic!("{key}: {found:?}, but the server has {current:?}"),
        }
    }
    let snapshot = cache.snapshot();
    let mark = |mark: &Undecodable| (mark.key.clone(), mark.resource_version.to_string());
    let marks: BTreeMap<_, _> = snapshot.undecodable_all().map(mark).collect();
    assert_eq!(marks, expected_marks);
    let cached = snapshot.entries().map(|entry| {
        (
            entry.key.clone(),
            version(entry.typed::<k8s_openapi::api::core::v1::Secret>()),
        )
    });
    let cached: BTreeMap<_, _> = cached.collect();
    assert_eq!(notes.replayed(), cached);
    // Of an object whose current version does not decode, an earlier one may be cached.
    let mut current = cached;
    current.retain(|key, _| !marks.contains_key(key));
    assert_eq!(current, expected);
    let status = cache.status();
    assert_eq!(
        (status.names, status.unwatched_names),
        (referenced.len(), unwatched)
    );
    if limits.0 >= NAMES.len() {
        assert_eq!(unwatched, 0);
    }
    world.factory.shutdown().await;
}

fn run(limits: Limits, history: Vec<Move>) {
    on_paused_clock(check(limits, history));
}

/// G-18, W-13: A version that does not decode arrives before the first sync, which a failing name
/// delays. The sync is no update of the version that is cached.
#[test]
fn g18_a_first_sync_updates_no_object_whose_latest_version_does_not_decode() {
    let names_of_n_and_a_failing_one = Move::Refer(1, 0b0100_1100);
    let history = [
        names_of_n_and_a_failing_one,
        Move::Fail(2, 1),
        Move::Advance(0),
        Move::PutBad(0),
    ];
    run((2, 4), history.into());
}

/// G-18: A namespace gets a new watch for the same names as the present one has, which then stops.
#[test]
fn g18_a_watch_is_replaced_by_a_watch_of_the_same_names() {
    let history = [
        Move::Advance(0),
        Move::Refer(0, 0b0100_1100),
        Move::Refer(0, 0b0011_0000),
        Move::Refer(1, 0b0000_0001),
        Move::RemoveReferrer(0),
        Move::Fail(2, 0),
        Move::Advance(30),
        Move::Refer(0, 0b0101_0000),
        Move::Refer(0, 0b0110_1110),
        Move::Advance(0),
        Move::Put(0),
    ];
    run((2, 4), history.into());
}

proptest! {
    /// G-18, W-13: At quiescence the cache equals the server restricted to the referenced names, and
    /// so do the replayed events. The limits hold at every moment.
    #[test]
    fn g18_any_history_ends_with_the_referenced_objects_of_the_server(
        limits in prop_oneof![Just((64, 3)), Just((64, 64)), Just((2, 4)), Just((64, 1))],
        history in moves(),
    ) {
        run(limits, history);
    }
}
