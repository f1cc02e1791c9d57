//! Model of the replicas of a controller: their clocks, hand-overs, and a network between them and
//! the server.
//!
//! Time is in milliseconds of the world. A replica's clock runs at its own rate. A request can be
//! lost before the server or after it, arrive late and out of order, and be applied long after its
//! replica has given it up. A replica can be suspended: it then sees neither timers nor answers. It
//! can crash, end gracefully, and lose the cache's work when it loses its member lease.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proptest::prelude::*;

use super::*;
use crate::reconcile::leader_election::{Answer, Candidate, Next};
use crate::shards::slices::ShardBy;

const SLICES: u16 = 7;
/// Time of the world at which all faults end.
const CALM: u64 = 120_000;
/// Time after the last fault by which each slice is owned: the lease duration, the retry period, the
/// limits of a list and of a renewal that were lost in the last fault, and a hand-over.
const OWNED: u64 = 15_000 + 2_000 + 2 * 5_000 + 3_000;
/// Time after which nothing moves any more.
const EVEN: u64 = OWNED + 30_000;
const END: u64 = CALM + EVEN + 20_000;

/// Delays of one request, in milliseconds, or `None` if it is lost.
#[derive(Debug, Clone)]
struct Fate {
    to_server: Option<u64>,
    to_replica: Option<u64>,
}

const GOOD: Fate = Fate {
    to_server: Some(10),
    to_replica: Some(10),
};

/// History of one replica.
#[derive(Debug, Clone)]
struct Life {
    /// Rate of its clock, in thousandths.
    rate: u64,
    starts: u64,
    /// Fates of the requests for its member lease, and of all others, in cycles.
    renewals: Vec<Fate>,
    fates: Vec<Fate>,
    /// Starts and durations of suspensions.
    pauses: Vec<(u64, u64)>,
    /// Duration of each hand-over of a slice.
    hand_over: u64,
    /// Time at which it ends gracefully.
    ends: u64,
    /// Time at which its process dies.
    dies: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Response {
        message: usize,
    },
    /// The timer of the member lease's candidate.
    Renewal {
        replica: usize,
        step: u64,
    },
    /// The next list, or the end of the wait for answers.
    Turn {
        replica: usize,
        turn: u64,
    },
    /// The caches show the objects of a slice, or have dropped them.
    HandedOver {
        replica: usize,
        slice: u16,
        tenure: u64,
    },
    Arrival {
        message: usize,
    },
}

#[derive(Debug, Clone)]
enum Sent {
    Renewal(Request),
    List,
    Claim(u16, Request),
    Write(Request),
    Delete(Lease),
}

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "few exist at a time")]
enum Answered {
    One(Answer),
    List(Vec<Lease>),
}

struct Message {
    replica: usize,
    /// Step of the candidate, or turn of the replica.
    number: u64,
    sent: Sent,
    to_replica: Option<u64>,
    answer: Option<Answered>,
}

struct Replica {
    life: Life,
    candidate: Candidate,
    next: Next,
    step: u64,
    ownership: Ownership,
    /// Number of the member lease's tenures, and `true` while one lasts.
    tenure: u64,
    is_member: bool,
    turn: u64,
    listed_at: Instant,
    /// Number of answers that the turn waits for.
    awaited: usize,
    is_ending: bool,
    has_ended: bool,
    /// Numbers of requests for the member lease, and of others.
    sent: [usize; 2],
}

struct World {
    base: Instant,
    now: u64,
    leases: BTreeMap<String, Lease>,
    version: u64,
    messages: Vec<Message>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
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
        namespace: "a".to_owned(),
        name: names().member(identity),
        labels: names().member_labels(),
        identity: identity.to_owned(),
        lease_duration: secs(15),
        renew_deadline: secs(10),
        retry_period: secs(2),
    }
}

// === impl World ===

impl World {
    fn new(lives: Vec<Life>) -> Self {
        let base = Instant::now();
        let mut world = Self {
            base,
            now: 0,
            leases: BTreeMap::new(),
            version: 0,
            messages: Vec::new(),
            events: BinaryHeap::new(),
            replicas: Vec::new(),
        };
        for (number, life) in lives.into_iter().enumerate() {
            let terms = terms(&format!("r{number}"));
            let starts = life.starts;
            world.replicas.push(Replica {
                life,
                candidate: Candidate::new(terms.clone(), base),
                next: Next::Sleep(base),
                step: 0,
                ownership: Ownership::new(names(), terms),
                tenure: 0,
                is_member: false,
                turn: 0,
                listed_at: base,
                awaited: 0,
                is_ending: false,
                has_ended: false,
                sent: [0; 2],
            });
            world.at(
                starts,
                Event::Renewal {
                    replica: number,
                    step: 0,
                },
            );
        }
        world
    }

    fn at(&mut self, time: u64, event: Event) {
        self.events.push(Reverse((time, event)));
    }

    fn local(&self, replica: usize) -> Instant {
        self.base + Duration::from_micros(self.now * self.replicas[replica].life.rate)
    }

    /// Returns the first time of the world at which a replica's clock shows `local`.
    fn global(&self, replica: usize, local: Instant) -> u64 {
        let since = u64::try_from(local.duration_since(self.base).as_micros()).unwrap();
        since
            .div_ceil(self.replicas[replica].life.rate)
            .max(self.now)
    }

    /// Returns a wall clock that agrees with no other one.
    fn wall_clock(&self, replica: usize) -> Timestamp {
        let millis = self.now * 7 + u64::try_from(replica).unwrap() * 1_000_000;
        Timestamp::from_millisecond(i64::try_from(millis).unwrap()).unwrap()
    }

    fn send(&mut self, replica: usize, number: u64, sent: Sent) {
        let is_renewal = matches!(sent, Sent::Renewal(_));
        let of = &mut self.replicas[replica];
        let fates = if is_renewal {
            &of.life.renewals
        } else {
            &of.life.fates
        };
        let count = &mut of.sent[usize::from(is_renewal)];
        let fate = fates[*count % fates.len()].clone();
        let fate = if self.now >= CALM { GOOD } else { fate };
        *count += 1;
        let message = self.messages.len();
        self.messages.push(Message {
            replica,
            number,
            sent,
            to_replica: fate.to_replica,
            answer: None,
        });
        if let Some(delay) = fate.to_server {
            // What was sent before the calm arrives before its end.
            let arrival = (self.now + delay).min(CALM.max(self.now + 10));
            self.at(arrival, Event::Arrival { message });
        }
    }

    fn arrive(&mut self, message: usize) {
        let answer = match self.messages[message].sent.clone() {
            Sent::List => Answered::List(self.leases.values().cloned().collect()),
            Sent::Renewal(request) => {
                let name = names().member(&format!("r{}", self.messages[message].replica));
                Answered::One(self.serve(&name, request))
            }
            Sent::Claim(slice, request) => {
                Answered::One(self.serve(&names().slice(slice), request))
            }
            Sent::Write(request) => {
                let Request::Replace(lease) = &request else {
                    unreachable!()
                };
                let name = lease.metadata.name.clone().unwrap();
                Answered::One(self.serve(&name, request))
            }
            Sent::Delete(lease) => {
                let name = lease.metadata.name.clone().unwrap();
                if self.leases.get(&name) == Some(&lease) {
                    self.leases.remove(&name);
                }
                Answered::One(Answer::Rejected)
            }
        };
        self.messages[message].answer = Some(answer);
        if let Some(delay) = self.messages[message].to_replica {
            let arrival = (self.now + delay).min(CALM.max(self.now + 10));
            self.at(arrival, Event::Response { message });
        }
    }

    /// Serves a request for one lease with optimistic locking.
    fn serve(&mut self, name: &str, request: Request) -> Answer {
        let known = self
            .leases
            .get(name)
            .map(|lease| lease.metadata.resource_version.clone());
        let mut written = match request {
            Request::Read => return Answer::Read(self.leases.get(name).cloned()),
            Request::Create(lease) if known.is_none() => lease,
            Request::Replace(lease) if known == Some(lease.metadata.resource_version.clone()) => {
                lease
            }
            Request::Create(_) | Request::Replace(_) => return Answer::Rejected,
        };
        self.version += 1;
        written.metadata.resource_version = Some(self.version.to_string());
        self.leases.insert(name.to_owned(), written.clone());
        Answer::Written(written)
    }

    /// Delivers an event to a replica, or puts it off until the replica runs.
    fn deliver(&mut self, number: usize, event: Event) {
        let (now, local) = (self.now, self.local(number));
        let replica = &mut self.replicas[number];
        if now >= replica.life.dies || replica.has_ended {
            return;
        }
        let is_paused = |(from, length): &&(u64, u64)| (*from..from + length).contains(&now);
        if let Some((from, length)) = replica.life.pauses.iter().find(is_paused) {
            let end = from + length;
            return self.at(end, event);
        }
        // An answer is read before the clock, as by a process that wakes up.
        let is_answer = matches!(&event, Event::Response { message }
            if matches!(self.messages[*message].sent, Sent::Renewal(_)));
        if replica.is_member && !replica.candidate.leads_at(local) && !is_answer {
            self.lose(number);
        }
        match event {
            Event::Renewal { replica, step } => self.renew(replica, step, None),
            Event::Turn { replica, turn } => self.turn(replica, turn),
            Event::HandedOver {
                replica,
                slice,
                tenure,
            } => self.handed_over(replica, slice, tenure),
            Event::Response { message } => {
                let sent = &self.messages[message];
                let number = sent.number;
                match (&sent.sent, sent.answer.clone().unwrap()) {
                    (Sent::Renewal(_), Answered::One(answer)) => {
                        self.renew(sent.replica, number, Some(answer));
                    }
                    (of, answer) => {
                        let slice = if let Sent::Claim(slice, _) = of {
                            Some(*slice)
                        } else {
                            None
                        };
                        self.answered(sent.replica, number, slice, answer);
                    }
                }
            }
            Event::Arrival { .. } => unreachable!("it is the server's"),
        }
    }

    /// The replica loses its member lease, and begins anew.
    fn lose(&mut self, number: usize) {
        let local = self.local(number);
        let replica = &mut self.replicas[number];
        replica.is_member = false;
        replica.tenure += 1;
        replica.turn += 1;
        replica.ownership.suspend();
        replica.candidate = Candidate::new(terms(&format!("r{number}")), local);
        replica.next = Next::Sleep(local);
        replica.step += 1;
        let step = replica.step;
        if replica.is_ending {
            replica.has_ended = true;
            return;
        }
        self.at(
            self.now,
            Event::Renewal {
                replica: number,
                step,
            },
        );
    }

    /// Carries on with the member lease.
    fn renew(&mut self, number: usize, step: u64, answer: Option<Answer>) {
        let (local, wall) = (self.local(number), self.wall_clock(number));
        let replica = &mut self.replicas[number];
        if replica.step != step {
            return;
        }
        let next = match (&replica.next, answer) {
            (Next::Sleep(_), _) => replica.candidate.wake(local, wall),
            (Next::Send(..), answer) => {
                replica
                    .candidate
                    .answer(answer.unwrap_or(Answer::Failed), local, wall)
            }
        };
        replica.step += 1;
        replica.next = next.clone();
        let step = replica.step;
        let timer = match next {
            Next::Sleep(until) => until,
            Next::Send(request, limit) => {
                self.send(number, step, Sent::Renewal(request));
                limit
            }
        };
        let time = self.global(number, timer);
        self.at(
            time,
            Event::Renewal {
                replica: number,
                step,
            },
        );
        let replica = &mut self.replicas[number];
        let leads = replica.candidate.leads_at(local);
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
        replica.awaited = 0;
        let turn = replica.turn;
        let time = self.global(number, until);
        self.at(
            time,
            Event::Turn {
                replica: number,
                turn,
            },
        );
    }

    /// Begins a turn with a list, or gives the answers of the last one up.
    fn turn(&mut self, number: usize, turn: u64) {
        let local = self.local(number);
        let replica = &mut self.replicas[number];
        if replica.turn != turn || !replica.is_member {
            return;
        }
        if replica.awaited > 0 {
            let next = replica.ownership.next_list(local);
            return self.end_turn(number, next);
        }
        replica.listed_at = local;
        replica.awaited = 1;
        if self.now >= replica.life.ends && !replica.is_ending {
            replica.is_ending = true;
            let acts = replica.ownership.end();
            self.carry_out(number, acts);
        }
        self.finish(number);
        self.send(number, turn, Sent::List);
        let limit = self.global(number, local + secs(5));
        self.at(
            limit,
            Event::Turn {
                replica: number,
                turn,
            },
        );
    }

    fn answered(&mut self, number: usize, turn: u64, slice: Option<u16>, answer: Answered) {
        let (local, wall) = (self.local(number), self.wall_clock(number));
        let replica = &mut self.replicas[number];
        if replica.turn != turn || !replica.is_member {
            return;
        }
        replica.awaited -= 1;
        match answer {
            Answered::List(leases) => {
                let sent = replica.listed_at;
                let acts = replica.ownership.observe(leases, sent, local, wall);
                self.carry_out(number, acts);
            }
            Answered::One(Answer::Written(lease)) => {
                if let Some(slice) = slice {
                    let was_suspended = replica.ownership.held().contains_key(&slice);
                    replica.ownership.claimed(slice, lease);
                    if was_suspended {
                        assert!(replica.ownership.entered(slice));
                    } else {
                        self.hand_over(number, slice);
                    }
                }
            }
            Answered::One(Answer::Read(_) | Answer::Rejected | Answer::Failed) => {}
        }
        let replica = &self.replicas[number];
        if replica.awaited == 0 {
            self.end_turn(number, replica.ownership.next_list(local));
        }
    }

    fn carry_out(&mut self, number: usize, acts: Vec<Act>) {
        let turn = self.replicas[number].turn;
        for act in acts {
            let sent = match act {
                Act::Leave(slice) | Act::Drop(slice) => {
                    self.hand_over(number, slice);
                    continue;
                }
                Act::Claim(slice, request) => Sent::Claim(slice, request),
                Act::Release(lease) => Sent::Write(Request::Replace(lease)),
                Act::Collect(lease) => Sent::Delete(lease),
            };
            self.replicas[number].awaited += 1;
            self.send(number, turn, sent);
        }
    }

    fn hand_over(&mut self, number: usize, slice: u16) {
        let replica = &self.replicas[number];
        let (tenure, time) = (replica.tenure, self.now + replica.life.hand_over);
        self.at(
            time,
            Event::HandedOver {
                replica: number,
                slice,
                tenure,
            },
        );
    }

    fn handed_over(&mut self, number: usize, slice: u16, tenure: u64) {
        let wall = self.wall_clock(number);
        let replica = &mut self.replicas[number];
        if replica.tenure != tenure || replica.ownership.entered(slice) {
            return;
        }
        let is_left = replica
            .ownership
            .held()
            .get(&slice)
            .is_some_and(|phase| *phase >= Phase::Leaving);
        if is_left && let Some(lease) = replica.ownership.left(slice, wall) {
            let turn = replica.turn;
            // Outside of the turn: no answer is awaited.
            self.send(
                number,
                turn + 1_000_000,
                Sent::Write(Request::Replace(lease)),
            );
        }
        self.finish(number);
    }

    /// Ends a replica that has given everything away.
    fn finish(&mut self, number: usize) {
        let replica = &mut self.replicas[number];
        if replica.ownership.has_ended() {
            replica.has_ended = true;
            replica.is_member = false;
            self.leases.remove(&names().member(&format!("r{number}")));
        }
    }

    /// Returns the replicas that own a slice, each by its own clock.
    fn owners(&self, slice: u16) -> Vec<usize> {
        let owns = |number: &usize| {
            let replica = &self.replicas[*number];
            let is_dead = self.now >= replica.life.dies || replica.has_ended;
            let phase = replica.ownership.held().get(&slice);
            let owns = matches!(phase, Some(Phase::Gaining | Phase::Owned | Phase::Leaving));
            !is_dead && owns && replica.is_member && replica.candidate.leads_at(self.local(*number))
        };
        (0..self.replicas.len()).filter(owns).collect()
    }

    /// Runs the world until `end`. Each slice has to be owned from `owned` on, and by the same replica
    /// from `even` on. Returns the owners at the end.
    fn run(mut self, owned: u64, even: u64, end: u64) -> Result<Vec<usize>, String> {
        let mut settled = None;
        while let Some(Reverse((time, event))) = self.events.pop() {
            self.now = time;
            if time >= end {
                return settled.ok_or_else(|| "no events".to_owned());
            }
            match event {
                Event::Arrival { message } => self.arrive(message),
                Event::Response { message } => self.deliver(self.messages[message].replica, event),
                Event::Renewal { replica, .. }
                | Event::Turn { replica, .. }
                | Event::HandedOver { replica, .. } => self.deliver(replica, event),
            }
            let mut owners = Vec::new();
            for slice in 0..SLICES {
                let of_slice = self.owners(slice);
                if of_slice.len() > 1 {
                    return Err(format!("{of_slice:?} own slice {slice} at {time} ms"));
                }
                owners.extend(of_slice.first().copied());
            }
            if time < owned {
                continue;
            }
            let is_whole = owners.len() == usize::from(SLICES);
            // A slice that moves is owned by nobody between its release and its claim.
            if !is_whole && (time >= even || settled.is_none()) {
                return Err(format!("a slice has no owner at {time} ms: {owners:?}"));
            }
            if time >= even && settled.as_ref().is_some_and(|settled| *settled != owners) {
                return Err(format!(
                    "{owners:?} instead of {settled:?} own the slices at {time} ms"
                ));
            }
            settled = Some(owners);
        }
        Err("no events".to_owned())
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
fn good(starts: u64) -> Life {
    Life {
        rate: 1000,
        starts,
        renewals: vec![GOOD],
        fates: vec![GOOD],
        pauses: Vec::new(),
        hand_over: 0,
        ends: u64::MAX,
        dies: u64::MAX,
    }
}

/// P-01. A renewal that arrives late, while its sender is suspended and another replica takes the
/// slices, does not prolong what has ended. Random histories rarely combine these faults.
#[test]
fn p01_a_late_answer_does_not_prolong_a_lease_that_has_ended() {
    let lost = Fate {
        to_server: None,
        to_replica: None,
    };
    let late = Fate {
        to_server: Some(4_000),
        to_replica: Some(10),
    };
    for offset in (0..8_000).step_by(200) {
        let mut renewals = vec![GOOD; 10];
        renewals.extend([lost.clone(), late.clone()]);
        let holder = Life {
            renewals,
            pauses: (0..4)
                .map(|n| (20_000 + offset + n * 20_000, 4_000))
                .collect(),
            ..good(0)
        };
        let other = Life {
            rate: 1499,
            ..good(offset)
        };
        let owners = World::new(vec![holder, other]).run(CALM + OWNED, CALM + EVEN, END);
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
    let mut replica = Ownership::new(names(), terms("b"));
    for (sent, arrives, takes) in [(0, 1, false), (8, 20, false), (16, 16, true)] {
        let (sent, arrives) = (start + secs(sent), start + secs(arrives));
        let acts = replica.observe(listed.clone(), sent, arrives, wall);
        assert_eq!(!acts.is_empty(), takes, "{acts:?}");
    }
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let delay = || {
        prop_oneof![
            6 => (0..200_u64).prop_map(Some),
            3 => (0..5_000_u64).prop_map(Some),
            1 => (0..20_000_u64).prop_map(Some),
            1 => Just(None),
        ]
    };
    let fate = (delay(), delay());
    let fate = fate.prop_map(|(to_server, to_replica)| Fate {
        to_server,
        to_replica,
    });
    prop::collection::vec(fate, 1..12)
}

fn lives() -> impl Strategy<Value = Vec<Life>> {
    // The bound of a lease of 15 s and a renew deadline of 10 s is a factor of 1.5.
    let rate = prop_oneof![3 => Just(1000_u64), 3 => Just(1499), 1 => 1000..1499_u64];
    let length = prop_oneof![0..10_000_u64, 5_000..30_000_u64];
    let pause = (0..CALM, length);
    let pause = pause.prop_map(|(from, length)| (from, length.min(CALM - from)));
    let pauses = prop::collection::vec(pause, 0..8);
    let ends = (0..3 * CALM, 0..3 * CALM);
    let fates = (fates(), fates());
    let life = (rate, 0..CALM / 2, fates, pauses, 0..3_000_u64, ends);
    let life = life.prop_map(|(rate, starts, fates, pauses, hand_over, ends)| Life {
        rate,
        starts,
        renewals: fates.0,
        fates: fates.1,
        pauses,
        hand_over,
        // Faults end with the calm.
        ends: if ends.0 < CALM { ends.0 } else { u64::MAX },
        dies: if ends.1 < CALM { ends.1 } else { u64::MAX },
    });
    prop::collection::vec(life, 2..6).prop_map(|mut lives: Vec<Life>| {
        (lives[0].dies, lives[0].ends) = (u64::MAX, u64::MAX);
        lives
    })
}

proptest! {
    /// A slice never has two owners. When the faults have ended, each slice has one soon, and the
    /// shares of the replicas differ by at most one.
    #[test]
    fn p01_a_slice_has_at_most_one_owner_and_one_in_the_end(
        worlds in prop::collection::vec(lives(), 16)
    ) {
        for lives in worlds {
            let is_left = |life: &&Life| life.dies == u64::MAX && life.ends == u64::MAX;
            let left = lives.iter().filter(is_left).count();
            let owners = World::new(lives).run(CALM + OWNED, CALM + EVEN, END);
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
        let life = |starts: &u64| Life {
            hand_over: 100,
            ..good(*starts)
        };
        let mut lives: Vec<Life> = starts.iter().map(life).collect();
        let before = World::new(lives.clone()).run(39_000, 39_000, 42_000).unwrap();
        lives[1].dies = dies;
        let taken = dies + 15_000 + 2_000 + 500;
        let after = World::new(lives).run(taken, taken, taken + 10_000).unwrap();
        let kept = before.iter().zip(&after).filter(|(before, after)| before == after).count();
        let lost = before.iter().filter(|owner| **owner == 1).count();
        prop_assert_eq!(kept + lost, before.len(), "{:?} {:?}", before, after);
        prop_assert_eq!(counts(&after), [3, 4]);
    }
}
