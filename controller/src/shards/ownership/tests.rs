//! Model of the replicas of a controller: any history of their clocks, requests and hand-overs.

use std::ops::Range;

use proptest::prelude::*;

use super::*;
use crate::reconcile::leader_election::Answer;
use crate::shards::slices::ShardBy;
use crate::tests::net::{Answered, Fate, Life, Net, Seen, Sent, Voter, ends, fates, lives};

const SLICES: u16 = 7;
/// Time of the world at which all faults end.
const CALM: u64 = 120_000;
/// Time after the last fault by which each slice is owned: the lease duration, the retry period, the
/// limits of a list and of a renewal that were lost in the last fault, and a hand-over.
const OWNED: u64 = 15_000 + 2_000 + 2 * 5_000 + 3_000;
/// Time after which nothing moves any more.
const EVEN: u64 = OWNED + 30_000;
const END: u64 = CALM + EVEN + 20_000;

/// History of one replica.
#[derive(Debug, Clone)]
struct History {
    life: Life,
    /// Fates of the requests for its member lease, and of all others, in cycles.
    renewals: Vec<Fate>,
    fates: Vec<Fate>,
    /// Duration of each hand-over of a slice.
    hand_over: u64,
    /// Time at which it ends gracefully.
    ends: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// Of the member lease's candidate.
    Renewal(u64),
    /// The next list, or the end of the wait for its answer.
    Turn(u64),
    /// The end of the wait for the answer to a write of a slice's lease.
    GivenUp(u16, u64),
    /// The caches show the objects of a slice, or have dropped them, in a tenure.
    HandedOver(u16, u64),
}

struct Replica {
    history: History,
    terms: Terms,
    voter: Voter,
    ownership: Ownership,
    /// Number of the member lease's tenures, and `true` while one lasts.
    tenure: u64,
    is_member: bool,
    turn: u64,
    /// Start of the list in flight.
    listing: Option<Instant>,
    /// Numbers of the writes in flight, by slice.
    writes: BTreeMap<u16, u64>,
    next_write: u64,
    is_ending: bool,
    has_ended: bool,
    /// Numbers of requests for the member lease, and of others.
    sent: [usize; 2],
}

struct World {
    net: Net<Timer>,
    replicas: Vec<Replica>,
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn names() -> Names {
    Names::new("group", ShardBy::Uid, SLICES)
}

fn terms(identity: &str) -> Terms {
    Terms {
        name: names().member(identity),
        labels: names().member_labels(),
        ..Terms::new("a", "", identity)
    }
}

// === impl World ===

impl World {
    fn new(histories: Vec<History>) -> Self {
        let lives = histories.iter().map(|history| history.life.clone());
        let net = Net::new(lives.collect(), &Timer::Renewal(0), CALM);
        let replica = |(number, history): (usize, History)| {
            let (terms, now) = (terms(&format!("r{number}")), net.local(number));
            Replica {
                history,
                voter: Voter::new(terms.clone(), now),
                ownership: Ownership::new(names(), terms.clone(), now),
                terms,
                tenure: 0,
                is_member: false,
                turn: 0,
                listing: None,
                writes: BTreeMap::new(),
                next_write: 0,
                is_ending: false,
                has_ended: false,
                sent: [0; 2],
            }
        };
        let replicas = histories.into_iter().enumerate().map(replica).collect();
        Self { net, replicas }
    }

    fn send(&mut self, number: usize, of: u64, sent: Sent) {
        let replica = &mut self.replicas[number];
        let is_renewal = replica.is_renewal(&sent);
        let History {
            renewals, fates, ..
        } = &replica.history;
        let fates = if is_renewal { renewals } else { fates };
        let count = &mut replica.sent[usize::from(is_renewal)];
        let fate = fates[*count % fates.len()].clone();
        *count += 1;
        let fate = if self.net.now >= CALM {
            Fate::GOOD
        } else {
            fate
        };
        self.net.send(number, of, sent, &fate);
    }

    fn deliver(&mut self, number: usize, seen: Seen<Timer>) {
        let local = self.net.local(number);
        let replica = &self.replicas[number];
        if replica.has_ended {
            return;
        }
        // An answer is read before the clock, as by a process that wakes up.
        let is_renewal = matches!(&seen, Seen::Answer(_, sent, _) if replica.is_renewal(sent));
        if replica.is_member && !replica.voter.candidate.leads_at(local) && !is_renewal {
            self.lose(number);
        }
        match seen {
            Seen::Timer(Timer::Renewal(step)) => self.renew(number, step, None),
            Seen::Timer(Timer::Turn(turn)) => self.turn(number, turn),
            Seen::Timer(Timer::HandedOver(slice, tenure)) => {
                self.handed_over(number, slice, tenure);
            }
            Seen::Timer(Timer::GivenUp(slice, write)) => {
                self.wrote(number, slice, write, Answer::Failed);
            }
            Seen::Answer(step, _, Answered::One(answer)) if is_renewal => {
                self.renew(number, step, Some(answer));
            }
            Seen::Answer(turn, _, Answered::List(leases)) => self.listed(number, turn, leases),
            Seen::Answer(write, Sent::One(name, _), Answered::One(answer)) => {
                let slice = (0..SLICES).find(|slice| names().slice(*slice) == name);
                self.wrote(number, slice.unwrap(), write, answer);
            }
            // A deletion.
            Seen::Answer(..) => {}
        }
    }

    /// The replica loses its member lease, and begins anew.
    fn lose(&mut self, number: usize) {
        let local = self.net.local(number);
        let replica = &mut self.replicas[number];
        replica.is_member = false;
        replica.tenure += 1;
        replica.turn += 1;
        replica.writes.clear();
        replica.ownership.suspend();
        let step = replica.voter.restart(replica.terms.clone(), local);
        replica.has_ended = replica.is_ending;
        self.net.timer(number, local, Timer::Renewal(step));
    }

    /// Carries on with the member lease.
    fn renew(&mut self, number: usize, step: u64, answer: Option<Answer>) {
        let (local, wall) = (self.net.local(number), self.net.wall_clock(number));
        let replica = &mut self.replicas[number];
        let Some((step, request, until)) = replica.voter.proceed(step, answer, local, wall) else {
            return;
        };
        if let Some(request) = request {
            let sent = Sent::One(replica.terms.name.clone(), request);
            self.send(number, step, sent);
        }
        self.net.timer(number, until, Timer::Renewal(step));
        let replica = &mut self.replicas[number];
        let leads = replica.voter.candidate.leads_at(local);
        if leads && !replica.is_member {
            replica.is_member = true;
            self.end_turn(number, local);
        } else if !leads && replica.is_member {
            self.lose(number);
        }
    }

    /// Waits for the next turn.
    fn end_turn(&mut self, number: usize, until: Instant) {
        let replica = &mut self.replicas[number];
        replica.turn += 1;
        replica.listing = None;
        self.net.timer(number, until, Timer::Turn(replica.turn));
    }

    /// Begins a list, or gives the last one up.
    fn turn(&mut self, number: usize, turn: u64) {
        let (now, local) = (self.net.now, self.net.local(number));
        let replica = &mut self.replicas[number];
        if replica.turn != turn || !replica.is_member {
            return;
        }
        if replica.listing.is_some() {
            let next = replica.ownership.next_list(local);
            return self.end_turn(number, next);
        }
        replica.listing = Some(local);
        if now >= replica.history.ends && !replica.is_ending {
            replica.is_ending = true;
            let acts = replica.ownership.end();
            self.carry_out(number, acts);
        }
        self.finish(number);
        self.send(number, turn, Sent::List);
        self.net.timer(number, local + secs(5), Timer::Turn(turn));
    }

    fn listed(&mut self, number: usize, turn: u64, leases: Vec<Lease>) {
        let (local, wall) = (self.net.local(number), self.net.wall_clock(number));
        let replica = &mut self.replicas[number];
        let Some(sent) = replica.listing.filter(|_| replica.turn == turn) else {
            return;
        };
        let acts = replica.ownership.observe(leases, sent, local, wall);
        self.carry_out(number, acts);
        let next = self.replicas[number].ownership.next_list(local);
        self.end_turn(number, next);
    }

    /// Ends a write of a slice's lease, unless it has ended before.
    fn wrote(&mut self, number: usize, slice: u16, write: u64, answer: Answer) {
        let local = self.net.local(number);
        let replica = &mut self.replicas[number];
        if replica.writes.get(&slice) != Some(&write) {
            return;
        }
        replica.writes.remove(&slice);
        replica.ownership.ended_write(slice, local);
        if let Answer::Written(lease) = answer
            && !holder(&lease).is_empty()
            && replica.ownership.claimed(slice, lease) == Claimed::Gaining
        {
            self.hand_over(number, slice);
        }
        self.finish(number);
    }

    fn carry_out(&mut self, number: usize, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Leave(slice) | Act::Drop(slice) => self.hand_over(number, slice),
                Act::Claim(slice, request) => self.write(number, slice, request),
                Act::Release(slice, lease) => self.write(number, slice, Request::Replace(lease)),
                Act::Collect(lease) => self.send(number, 0, Sent::Delete(lease)),
            }
        }
    }

    fn write(&mut self, number: usize, slice: u16, request: Request) {
        let local = self.net.local(number);
        let replica = &mut self.replicas[number];
        replica.next_write += 1;
        let write = replica.next_write;
        let earlier = replica.writes.insert(slice, write);
        assert_eq!(earlier, None, "two writes of slice {slice} at once");
        replica.ownership.begins_write(slice);
        let sent = Sent::One(names().slice(slice), request);
        self.send(number, write, sent);
        let given_up = Timer::GivenUp(slice, write);
        self.net.timer(number, local + secs(5), given_up);
    }

    fn hand_over(&mut self, number: usize, slice: u16) {
        let replica = &self.replicas[number];
        let timer = Timer::HandedOver(slice, replica.tenure);
        self.net.after(replica.history.hand_over, number, timer);
    }

    fn handed_over(&mut self, number: usize, slice: u16, tenure: u64) {
        let wall = self.net.wall_clock(number);
        let replica = &mut self.replicas[number];
        if replica.tenure != tenure || replica.ownership.entered(slice) {
            return;
        }
        let phase = replica.ownership.held().get(&slice);
        let is_left = phase.is_some_and(|phase| *phase >= SlicePhase::Leaving);
        if is_left && let Some(lease) = replica.ownership.left(slice, wall) {
            self.write(number, slice, Request::Replace(lease));
        }
        self.finish(number);
    }

    /// Ends a replica that has given everything away.
    fn finish(&mut self, number: usize) {
        let replica = &mut self.replicas[number];
        if replica.ownership.has_ended() && replica.writes.is_empty() {
            replica.has_ended = true;
            replica.is_member = false;
            self.net.leases.remove(&replica.terms.name);
        }
    }

    /// Returns the replicas that own a slice, each by its own clock.
    fn owners(&self, slice: u16) -> Vec<usize> {
        let owns = |number: &usize| {
            let (replica, local) = (&self.replicas[*number], self.net.local(*number));
            let is_alive = replica.is_member && !self.net.is_dead(*number);
            let phase = replica.ownership.held().get(&slice);
            let owns = matches!(
                phase,
                Some(SlicePhase::Gaining | SlicePhase::Owned | SlicePhase::Leaving)
            );
            is_alive && owns && replica.voter.candidate.leads_at(local)
        };
        (0..self.replicas.len()).filter(owns).collect()
    }

    /// Runs the world until the end of `even`. Each slice has to be owned from `owned` on, and by the
    /// same replica within `even`. Returns the owners at the end.
    fn run(mut self, owned: u64, even: Range<u64>) -> Result<Vec<usize>, String> {
        let mut settled = None;
        while let Some((number, seen)) = self.net.next(even.end) {
            self.deliver(number, seen);
            let (time, mut owners) = (self.net.now, Vec::new());
            for slice in 0..SLICES {
                let of_slice = self.owners(slice);
                if of_slice.len() > 1 {
                    return Err(format!("{of_slice:?} own slice {slice} at {time} ms"));
                }
                owners.extend(of_slice);
            }
            if time < owned {
                continue;
            }
            let (is_even, is_whole) = (time >= even.start, owners.len() == usize::from(SLICES));
            // A slice that moves is owned by nobody between its release and its claim.
            if !is_whole && (is_even || settled.is_none()) {
                return Err(format!("a slice has no owner at {time} ms: {owners:?}"));
            }
            if is_even && settled.as_ref().is_some_and(|settled| *settled != owners) {
                return Err(format!(
                    "{owners:?} instead of {settled:?} own the slices at {time} ms"
                ));
            }
            settled = Some(owners);
        }
        settled.ok_or_else(|| "no events".to_owned())
    }
}

// === impl Replica ===

impl Replica {
    fn is_renewal(&self, sent: &Sent) -> bool {
        matches!(sent, Sent::One(name, _) if *name == self.terms.name)
    }
}

/// Returns the numbers of slices per owner, the least first.
fn counts(owners: &[usize]) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    for owner in owners {
        *counts.entry(owner).or_insert(0) += 1;
    }
    let mut counts: Vec<usize> = counts.into_values().collect();
    counts.sort_unstable();
    counts
}

/// Returns the history of a replica without faults.
fn good(starts: u64) -> History {
    History {
        life: Life {
            rate: 1000,
            starts,
            pauses: Vec::new(),
            dies: u64::MAX,
        },
        renewals: vec![Fate::GOOD],
        fates: vec![Fate::GOOD],
        hand_over: 0,
        ends: u64::MAX,
    }
}

/// P-01. A renewal that arrives late, while its sender is suspended and another replica takes the
/// slices, does not prolong what has ended. Random histories rarely combine these faults.
#[test]
fn p01_a_late_answer_does_not_prolong_a_lease_that_has_ended() {
    for offset in (0..8_000).step_by(200) {
        let (mut holder, mut other) = (good(0), good(offset));
        holder.renewals = vec![Fate::GOOD; 10];
        holder.renewals.extend([Fate::LOST, Fate::after(4_000, 10)]);
        let pause = |n: u64| (20_000 + offset + n * 20_000, 4_000);
        holder.life.pauses = (0..4).map(pause).collect();
        other.life.rate = 1499;
        let owners = World::new(vec![holder, other]).run(CALM + OWNED, CALM + EVEN..END);
        assert!(owners.is_ok(), "{offset}: {}", owners.unwrap_err());
    }
}

/// P-01. A list that was answered long ago says nothing about the time of its arrival.
#[test]
fn p01_a_lease_is_judged_by_the_time_at_which_a_list_was_sent() {
    let (start, wall) = (Instant::now(), Timestamp::UNIX_EPOCH);
    let lease = |terms: &Terms| match terms.write(None, wall) {
        Request::Create(lease) => lease,
        Request::Read | Request::Replace(_) => unreachable!("there is no lease yet"),
    };
    let holder = terms("a");
    let slices = (0..SLICES).map(|slice| lease(&names().slice_terms(&holder, slice)));
    let listed: Vec<Lease> = slices.chain([lease(&holder)]).collect();
    let mut replica = Ownership::new(names(), terms("b"), start);
    for (sent, arrives, takes) in [(0, 1, false), (8, 20, false), (16, 16, true)] {
        let (sent, arrives) = (start + secs(sent), start + secs(arrives));
        let acts = replica.observe(listed.clone(), sent, arrives, wall);
        assert_eq!(!acts.is_empty(), takes, "{acts:?}");
    }
}

/// P-13. A list that was sent before a claim was answered neither drops the slice nor claims it again.
#[test]
fn p13_a_list_tells_nothing_about_a_lease_that_is_written_meanwhile() {
    let (start, wall) = (Instant::now(), Timestamp::UNIX_EPOCH);
    let mut replica = Ownership::new(names(), terms("a"), start);
    let at = |millis| start + Duration::from_millis(millis);
    let claims = replica.observe(Vec::new(), start, at(1), wall);
    assert_eq!(claims.len(), usize::from(SLICES));
    let mut leases = BTreeMap::new();
    for claim in claims {
        let Act::Claim(slice, Request::Create(lease)) = claim else {
            panic!("{claim:?}")
        };
        replica.begins_write(slice);
        leases.insert(slice, lease);
    }
    // While all are written, and when half of the answers have arrived.
    assert_eq!(replica.observe(Vec::new(), at(2), at(3), wall), []);
    for slice in 0..SLICES / 2 {
        replica.ended_write(slice, at(5));
        let claimed = replica.claimed(slice, leases[&slice].clone());
        assert_eq!(claimed, Claimed::Gaining);
    }
    assert_eq!(replica.observe(Vec::new(), at(4), at(6), wall), []);
    // A later list does tell: the slices are gone, and the others are written still.
    let acts = replica.observe(Vec::new(), at(7), at(8), wall);
    let lost: Vec<Act> = (0..SLICES / 2).map(Act::Drop).collect();
    assert_eq!(acts, lost);
}

fn histories() -> impl Strategy<Value = Vec<History>> {
    let fates = || fates(5_000, 20_000);
    let history = (
        lives(CALM / 2, CALM),
        fates(),
        fates(),
        0..3_000_u64,
        ends(CALM),
    );
    let history = history.prop_map(|(life, renewals, fates, hand_over, ends)| History {
        life,
        renewals,
        fates,
        hand_over,
        ends,
    });
    prop::collection::vec(history, 2..6).prop_map(|mut histories: Vec<History>| {
        (histories[0].life.dies, histories[0].ends) = (u64::MAX, u64::MAX);
        histories
    })
}

proptest! {
    /// A slice never has two owners. When the faults have ended, each slice has one soon, and the
    /// shares of the replicas differ by at most one.
    #[test]
    fn p01_a_slice_has_at_most_one_owner_and_one_in_the_end(
        worlds in prop::collection::vec(histories(), 16)
    ) {
        for histories in worlds {
            let is_left = |one: &&History| one.life.dies == u64::MAX && one.ends == u64::MAX;
            let left = histories.iter().filter(is_left).count();
            let owners = World::new(histories).run(CALM + OWNED, CALM + EVEN..END);
            prop_assert!(owners.is_ok(), "{}", owners.unwrap_err());
            let counts = counts(&owners.unwrap());
            prop_assert_eq!(counts.len(), left.min(usize::from(SLICES)));
            prop_assert!(counts[counts.len() - 1] - counts[0] <= 1, "{:?}", counts);
        }
    }

    /// Without lost requests, the slices of a killed replica have an owner after the lease duration
    /// and the retry period; the others stay where they are.
    #[test]
    fn p02_the_slices_of_a_killed_replica_are_taken_after_the_lease_duration(
        starts in prop::collection::vec(0..10_000_u64, 3),
        dies in 42_000..60_000_u64,
    ) {
        let history = |starts: &u64| History {
            hand_over: 100,
            ..good(*starts)
        };
        let mut histories: Vec<History> = starts.iter().map(history).collect();
        let before = World::new(histories.clone()).run(39_000, 39_000..42_000).unwrap();
        histories[1].life.dies = dies;
        let taken = dies + 15_000 + 2_000 + 500;
        let after = World::new(histories).run(taken, taken..taken + 10_000).unwrap();
        let kept = before.iter().zip(&after).filter(|(before, after)| before == after).count();
        let lost = before.iter().filter(|owner| **owner == 1).count();
        prop_assert_eq!(kept + lost, before.len(), "{:?} {:?}", before, after);
        prop_assert_eq!(counts(&after), [3, 4]);
    }
}
