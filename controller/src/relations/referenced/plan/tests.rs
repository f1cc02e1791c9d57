use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const GRACE: Duration = Duration::from_secs(30);

/// Plan with scripted watches.
struct World {
    plan: Plan,
    now: Instant,
    watches: Scripted,
    running: BTreeMap<WatchId, Target>,
}

#[derive(Default)]
struct Scripted {
    states: BTreeMap<WatchId, WatchState>,
    behind: BTreeSet<WatchId>,
}

impl Watches for Scripted {
    fn state(&self, watch: WatchId) -> WatchState {
        let state = self.states.get(&watch);
        state.copied().unwrap_or(WatchState::Pending)
    }

    fn is_caught_up(&self, _: &ObjectKey, _: WatchId, next: WatchId) -> bool {
        !self.behind.contains(&next)
    }
}

fn shown(target: &Target) -> String {
    match target {
        Target::Single(key) => key.to_string(),
        Target::Namespace { namespace, names } => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            format!("{namespace}/{{{}}}", names.join(","))
        }
    }
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

impl World {
    fn new(max_single_watches: usize, promote_at: usize) -> Self {
        Self {
            plan: Plan::new(Limits {
                max_single_watches,
                promote_at,
                grace_period: GRACE,
            }),
            now: Instant::now(),
            watches: Scripted::default(),
            running: BTreeMap::new(),
        }
    }

    fn mention(&mut self, keys: &str) -> &mut Self {
        for text in keys.split_whitespace() {
            self.plan.mention(key(text));
        }
        self
    }

    fn unmention(&mut self, keys: &str) -> &mut Self {
        for text in keys.split_whitespace() {
            self.plan.unmention(&key(text), self.now);
        }
        self
    }

    fn advance(&mut self, time: Duration) -> &mut Self {
        self.now += time;
        self
    }

    /// Makes a decision. Returns the started (`+`) and stopped (`-`) watches.
    fn decide(&mut self) -> String {
        let step = self.plan.decide(self.now, &self.watches);
        let mut changes = Vec::new();
        for id in step.stop {
            changes.push(format!("-{}", shown(&self.running.remove(&id).unwrap())));
        }
        for (id, target) in step.start {
            changes.push(format!("+{}", shown(&target)));
            self.running.insert(id, target);
        }
        changes.join(" ")
    }

    /// Sets the state of each running watch whose text contains `part`.
    fn set(&mut self, part: &str, state: WatchState) -> &mut Self {
        for (id, target) in &self.running {
            if shown(target).contains(part) {
                self.watches.states.insert(*id, state);
            }
        }
        self
    }

    /// Returns the owner of a name, or its place.
    fn owner(&self, text: &str) -> String {
        match self.plan.place(&key(text)) {
            Some(FollowedBy::Owned(id)) => shown(&self.running[&id]),
            place => format!("{place:?}"),
        }
    }

    fn wake(&mut self) -> Option<Duration> {
        let wake = self.plan.decide(self.now, &self.watches).wake;
        wake.map(|wake| wake - self.now)
    }
}

#[test]
fn a_later_name_has_a_single_watch_until_enough_later_names_make_a_larger_watch() {
    let mut world = World::new(64, 3);
    world.mention("ns/a ns/b ns/c").decide();
    world.set("{", WatchState::Synced).decide();
    assert_eq!(world.mention("ns/d").decide(), "+ns/d");
    assert_eq!(world.mention("ns/e").decide(), "+ns/e");
    world.set("ns/", WatchState::Synced).decide();
    assert_eq!(world.mention("ns/f").decide(), "+ns/{a,b,c,d,e,f}");
    // A second promotion waits for the first.
    let singles = world.mention("ns/g ns/h ns/i").decide();
    assert_eq!(singles, "+ns/g +ns/h +ns/i");
    let stopped = world.set("f}", WatchState::Synced).decide();
    let (before, started) = ("-ns/{a,b,c} -ns/d -ns/e", "+ns/{a,b,c,d,e,f,g,h,i}");
    // The larger watch has synced, so the next promotion follows in the same decision.
    assert_eq!(stopped, format!("{before} {started}"));
}

/// G-15.
#[test]
fn names_beyond_the_limit_get_a_watch_in_the_order_of_their_mentions() {
    let mut world = World::new(2, 16);
    assert_eq!(world.mention("ns/c ns/b ns/a ns/d").decide(), "+ns/c +ns/b");
    assert_eq!(world.owner("ns/a"), "Some(OverLimit)");
    assert_eq!(world.owner("ns/d"), "Some(OverLimit)");
    world.set("ns/", WatchState::Synced);
    world.unmention("ns/c").decide();
    assert_eq!(world.advance(GRACE).decide(), "-ns/c +ns/a");
    assert_eq!(world.owner("ns/d"), "Some(OverLimit)");
}

#[test]
fn names_beyond_the_limit_count_towards_a_namespace_watch() {
    let mut world = World::new(1, 3);
    assert_eq!(world.mention("ns/a ns/b").decide(), "+ns/a");
    assert_eq!(world.mention("ns/c").decide(), "+ns/{a,b,c}");
    assert!(world.owner("ns/b").starts_with("Some(Awaited("));
}

#[test]
fn a_namespace_watch_that_serves_few_names_is_replaced_by_single_watches() {
    let mut world = World::new(64, 4);
    world.mention("ns/a ns/b ns/c ns/d").decide();
    world.set("{", WatchState::Synced).decide();
    world.unmention("ns/b ns/c").decide();
    assert_eq!(world.advance(GRACE).decide(), "");
    world.unmention("ns/d").decide();
    assert_eq!(world.advance(GRACE).decide(), "+ns/a");
    assert_eq!(world.owner("ns/a"), "ns/{a,b,c,d}");
    assert_eq!(
        world.set("ns/a", WatchState::Synced).decide(),
        "-ns/{a,b,c,d}"
    );
}

#[test]
fn a_namespace_watch_stays_if_single_watches_have_no_room() {
    let mut world = World::new(0, 4);
    world.mention("ns/a ns/b ns/c ns/d").decide();
    world.set("{", WatchState::Synced).decide();
    world.unmention("ns/b ns/c ns/d").decide();
    assert_eq!(world.advance(GRACE).decide(), "");
    assert_eq!(world.owner("ns/a"), "ns/{a,b,c,d}");
    world.unmention("ns/a").decide();
    assert_eq!(world.advance(GRACE).decide(), "-ns/{a,b,c,d}");
}

#[test]
fn cluster_scoped_names_form_one_group() {
    let mut world = World::new(64, 2);
    assert_eq!(world.mention("a b").decide(), "+/{a,b}");
}

/// G-12: For a name without an owner, the watch that syncs first is the owner.
#[test]
fn g12_a_name_without_an_owner_is_shown_by_whichever_watch_syncs_first() {
    let mut world = World::new(64, 3);
    world.mention("ns/a ns/b").decide();
    assert_eq!(world.mention("ns/c").decide(), "+ns/{a,b,c}");
    world.set("ns/a", WatchState::Synced).decide();
    assert_eq!(world.owner("ns/a"), "ns/a");
    assert!(world.owner("ns/b").starts_with("Some(Awaited("));
    world.set("{", WatchState::Synced);
    assert_eq!(world.decide(), "-ns/a -ns/b");
    assert_eq!(world.owner("ns/a"), "ns/{a,b,c}");
}

/// G-14: A refusal of a namespace watch that has synced counts after some time.
#[test]
fn g14_a_namespace_watch_that_has_synced_is_refused_after_a_while() {
    let mut world = World::new(64, 2);
    world.mention("ns/a ns/b").decide();
    world.set("{", WatchState::Synced).decide();
    assert_eq!(world.set("{", WatchState::Lapsed).decide(), "");
    world
        .advance(PATIENCE / 2)
        .set("{", WatchState::Synced)
        .decide();
    assert_eq!(world.set("{", WatchState::Lapsed).decide(), "");
    assert_eq!(world.wake(), Some(PATIENCE));
    assert_eq!(world.advance(PATIENCE).decide(), "+ns/a +ns/b");
    assert_eq!(
        world
            .set("ns/", WatchState::Synced)
            .set("{", WatchState::Lapsed)
            .decide(),
        "-ns/{a,b}"
    );
}

// --- random histories ---

#[derive(Debug, Clone)]
enum Move {
    Mention(usize),
    Unmention(usize),
    /// Changes the state of a watch, if it can become that.
    State(usize, usize),
    Behind(usize, bool),
    Advance(u64),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (0_usize..10).prop_map(Move::Mention),
        3 => (0_usize..10).prop_map(Move::Unmention),
        4 => (any::<usize>(), 0_usize..5).prop_map(|(watch, state)| Move::State(watch, state)),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(watch, is)| Move::Behind(watch, is)),
        1 => (0_u64..400).prop_map(Move::Advance),
    ];
    prop::collection::vec(one, 1..80)
}

fn name(number: usize) -> ObjectKey {
    key([
        "n/a", "n/b", "n/c", "n/d", "n/e", "n/f", "m/a", "m/b", "m/c", "m/d",
    ][number])
}

impl World {
    fn play(&mut self, step: &Move, counts: &mut BTreeMap<usize, usize>) {
        let nth = |world: &Self, watch: usize| {
            let count = world.running.len().max(1);
            world.running.keys().nth(watch % count).copied()
        };
        match *step {
            Move::Mention(number) => {
                *counts.entry(number).or_default() += 1;
                self.plan.mention(name(number));
            }
            Move::Unmention(number) => {
                if let Some(count) = counts.get_mut(&number).filter(|count| **count > 0) {
                    *count -= 1;
                    self.plan.unmention(&name(number), self.now);
                }
            }
            Move::State(watch, state) => {
                if let Some(id) = nth(self, watch) {
                    let had_synced = matches!(
                        self.watches.state(id),
                        WatchState::Synced | WatchState::Lapsed
                    );
                    let next = match (had_synced, state) {
                        (_, 0 | 1) => WatchState::Synced,
                        (true, _) => WatchState::Lapsed,
                        (false, 2) => WatchState::Refused,
                        (false, 3) => WatchState::Failing,
                        (false, _) => WatchState::Pending,
                    };
                    self.watches.states.insert(id, next);
                }
            }
            Move::Behind(watch, is_behind) => {
                if let Some(id) = nth(self, watch) {
                    self.watches.behind.remove(&id);
                    self.watches.behind.extend(is_behind.then_some(id));
                }
            }
            Move::Advance(seconds) => self.now += Duration::from_secs(seconds),
        }
    }

    fn check(&self, counts: &BTreeMap<usize, usize>) {
        let is_single = |target: &&Target| matches!(target, Target::Single(_));
        let singles = self.running.values().filter(is_single).count();
        assert!(singles <= 3, "{:?}", self.running);
        for namespace in ["n", "m"] {
            let is_pending = |(id, target): &(&WatchId, &Target)| {
                matches!(
                    self.watches.state(**id),
                    WatchState::Pending | WatchState::Failing
                ) && matches!(target, Target::Namespace { namespace: of, .. } if &**of == namespace)
            };
            let pending = self.running.iter().filter(is_pending).count();
            assert!(pending <= 1, "{:?}", self.running);
        }
        assert!(self.running.keys().eq(self.plan.watches.keys()));
        for (number, count) in counts {
            if *count > 0 {
                let place = self.plan.place(&name(*number));
                assert!(
                    !matches!(place, None | Some(FollowedBy::Undecided)),
                    "{place:?}"
                );
            }
        }
        for name in self.plan.names.values() {
            for watch in name.owner.iter().chain(&name.single) {
                assert!(self.running.contains_key(watch));
            }
        }
    }
}

proptest! {
    /// G-18: At any moment the limits hold and each mentioned name is followed or over the limit.
    /// At quiescence each watch owns a name, and each name has an owner unless it is over the
    /// limit.
    #[test]
    fn g18_any_history_keeps_the_invariants_and_settles(history in moves()) {
        let mut world = World::new(3, 3);
        let mut counts = BTreeMap::new();
        for step in &history {
            world.play(step, &mut counts);
            let owners: Vec<_> = world.plan.names.iter().map(|(key, name)| (key.clone(), name.owner)).collect();
            world.decide();
            for (key, before) in owners {
                let after = world.plan.names.get(&key).and_then(|name| name.owner);
                let is_kept = before.is_none() || after.is_some() || !world.plan.names.contains_key(&key);
                prop_assert!(is_kept, "{key} has lost its owner");
            }
            world.check(&counts);
        }
        world.watches.behind.clear();
        world.advance(REFUSAL_MEMORY);
        for _ in 0..20 {
            world.set("", WatchState::Synced);
            world.advance(GRACE);
            world.decide();
        }
        world.check(&counts);
        let mut owners = BTreeSet::new();
        for (number, count) in &counts {
            match world.plan.place(&name(*number)) {
                None => prop_assert_eq!(*count, 0),
                Some(FollowedBy::Owned(owner)) => {
                    prop_assert!(*count > 0);
                    owners.insert(owner);
                }
                Some(place) => prop_assert_eq!(place, FollowedBy::OverLimit),
            }
        }
        prop_assert!(owners.iter().eq(world.running.keys()), "{:?}", world.running);
    }
}
