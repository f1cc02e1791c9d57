//! Processes with clocks of their own, and a network between them and a server of leases.
//!
//! Time is in milliseconds of the world. A process's clock runs at its own rate. A request can be lost
//! before the server or after it, arrive late and out of order, and be applied long after its sender
//! has given it up. A process can be suspended: it then sees neither timers nor answers. It can crash.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use proptest::prelude::*;
use tokio::time::Instant;

use crate::reconcile::leader_election::{Answer, Candidate, Next, Request, Terms};

/// Delays of one request and of its answer, or `None` if it is lost.
#[derive(Debug, Clone)]
pub(crate) struct Fate {
    pub(crate) to_server: Option<u64>,
    pub(crate) to_sender: Option<u64>,
}

/// History of one process.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    /// Rate of its clock, in thousandths.
    pub(crate) rate: u64,
    pub(crate) starts: u64,
    /// Starts and durations of suspensions.
    pub(crate) pauses: Vec<(u64, u64)>,
    pub(crate) dies: u64,
}

#[derive(Debug, Clone)]
pub(crate) enum Sent {
    /// Request for the lease of this name.
    One(String, Request),
    List,
    Delete(Lease),
}

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "few exist at a time")]
pub(crate) enum Answered {
    One(Answer),
    List(Vec<Lease>),
}

/// Event that a process sees.
#[expect(clippy::large_enum_variant, reason = "few exist at a time")]
pub(crate) enum Seen<T> {
    Timer(T),
    /// Answer to the request that was sent with this number.
    Answer(u64, Sent, Answered),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event<T> {
    /// The response arrives. It precedes a timer of the same moment, as in tokio.
    Response(usize),
    Timer(usize, T),
    /// A request arrives at the server.
    Arrival(usize),
}

struct Message {
    process: usize,
    number: u64,
    sent: Sent,
    to_sender: Option<u64>,
    answer: Option<Answered>,
}

/// Server and network. `T` is a timer of a process.
pub(crate) struct Net<T> {
    pub(crate) now: u64,
    pub(crate) leases: BTreeMap<String, Lease>,
    lives: Vec<Life>,
    base: Instant,
    version: u64,
    messages: Vec<Message>,
    events: BinaryHeap<Reverse<(u64, Event<T>)>>,
    /// Time by which all arrives that was sent before.
    calm: u64,
}

/// Candidate with its action in progress.
pub(crate) struct Voter {
    pub(crate) candidate: Candidate,
    next: Next,
    /// Number of the action, so that timers and answers of earlier ones are ignored.
    pub(crate) step: u64,
}

// === impl Fate ===

impl Fate {
    pub(crate) const GOOD: Self = Self::after(10, 10);
    pub(crate) const LOST: Self = Self {
        to_server: None,
        to_sender: None,
    };

    pub(crate) const fn after(to_server: u64, to_sender: u64) -> Self {
        Self {
            to_server: Some(to_server),
            to_sender: Some(to_sender),
        }
    }
}

/// Returns fates, of which some are late, few come last, and few are lost.
pub(crate) fn fates(late: u64, last: u64) -> impl Strategy<Value = Vec<Fate>> {
    let delay = || {
        prop_oneof![
            6 => (0..200_u64).prop_map(Some),
            2 => (0..late).prop_map(Some),
            1 => (0..last).prop_map(Some),
            1 => Just(None),
        ]
    };
    let fate = (delay(), delay()).prop_map(|(to_server, to_sender)| Fate {
        to_server,
        to_sender,
    });
    prop::collection::vec(fate, 1..12)
}

/// Returns lives whose faults end at `calm`. A lease of 15 s with a renew deadline of 10 s allows rates
/// that differ by a factor of less than 1.5.
pub(crate) fn lives(starts: u64, calm: u64) -> impl Strategy<Value = Life> {
    let rate = prop_oneof![3 => Just(1000_u64), 3 => Just(1499), 1 => 1000..1499_u64];
    let length = prop_oneof![0..10_000_u64, 5_000..30_000_u64];
    let pause = (0..calm, length).prop_map(move |(from, length)| (from, length.min(calm - from)));
    let pauses = prop::collection::vec(pause, 0..8);
    let life = (rate, 0..starts, pauses, ends(calm));
    life.prop_map(|(rate, starts, pauses, dies)| Life {
        rate,
        starts,
        pauses,
        dies,
    })
}

/// Returns a time before the calm, or never.
pub(crate) fn ends(calm: u64) -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(u64::MAX), 1 => 0..calm]
}

// === impl Net ===

impl<T: Ord + Clone> Net<T> {
    /// Begins the lives, each with the timer `first`.
    pub(crate) fn new(lives: Vec<Life>, first: &T, calm: u64) -> Self {
        let starts = lives.iter().enumerate();
        let starts = starts.map(|(process, life)| {
            let timer = Event::Timer(process, first.clone());
            Reverse((life.starts, timer))
        });
        Self {
            now: 0,
            leases: BTreeMap::new(),
            events: starts.collect(),
            lives,
            base: Instant::now(),
            version: 0,
            messages: Vec::new(),
            calm,
        }
    }

    /// Returns a process's time.
    pub(crate) fn local(&self, process: usize) -> Instant {
        self.base + Duration::from_micros(self.now * self.lives[process].rate)
    }

    /// Returns a wall clock that agrees with no other one.
    pub(crate) fn wall_clock(&self, process: usize) -> Timestamp {
        let millis = self.now * 7 + u64::try_from(process).unwrap() * 1_000_000;
        Timestamp::from_millisecond(i64::try_from(millis).unwrap()).unwrap()
    }

    pub(crate) fn is_dead(&self, process: usize) -> bool {
        self.now >= self.lives[process].dies
    }

    /// Sets a timer at the first time of the world at which a process's clock shows `local`.
    pub(crate) fn timer(&mut self, process: usize, local: Instant, timer: T) {
        let since = u64::try_from(local.duration_since(self.base).as_micros()).unwrap();
        let time = since.div_ceil(self.lives[process].rate).max(self.now);
        let timer = Event::Timer(process, timer);
        self.events.push(Reverse((time, timer)));
    }

    /// Sets a timer after a time of the world.
    pub(crate) fn after(&mut self, delay: u64, process: usize, timer: T) {
        let timer = Event::Timer(process, timer);
        self.events.push(Reverse((self.now + delay, timer)));
    }

    pub(crate) fn send(&mut self, process: usize, number: u64, sent: Sent, fate: &Fate) {
        let message = self.messages.len();
        self.messages.push(Message {
            process,
            number,
            sent,
            to_sender: fate.to_sender,
            answer: None,
        });
        self.carry(fate.to_server, Event::Arrival(message));
    }

    fn carry(&mut self, delay: Option<u64>, event: Event<T>) {
        if let Some(delay) = delay {
            let arrival = (self.now + delay).min(self.calm.max(self.now + 10));
            self.events.push(Reverse((arrival, event)));
        }
    }

    /// Serves a request for one lease with optimistic locking.
    pub(crate) fn serve(&mut self, name: &str, request: Request) -> Answer {
        let known = self.leases.get(name);
        let known = known.map(|lease| lease.metadata.resource_version.clone());
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

    fn arrive(&mut self, message: usize) {
        let answer = match self.messages[message].sent.clone() {
            Sent::One(name, request) => Answered::One(self.serve(&name, request)),
            Sent::List => Answered::List(self.leases.values().cloned().collect()),
            Sent::Delete(lease) => {
                self.leases.retain(|_, known| *known != lease);
                Answered::One(Answer::Rejected)
            }
        };
        self.messages[message].answer = Some(answer);
        let delay = self.messages[message].to_sender;
        self.carry(delay, Event::Response(message));
    }

    /// Returns the next event before `end`, and the process that sees it: a living one that is not
    /// suspended.
    pub(crate) fn next(&mut self, end: u64) -> Option<(usize, Seen<T>)> {
        loop {
            let Reverse((time, event)) = self.events.pop()?;
            self.now = time;
            if time >= end {
                return None;
            }
            let process = match event {
                Event::Arrival(message) => {
                    self.arrive(message);
                    continue;
                }
                Event::Response(message) => self.messages[message].process,
                Event::Timer(process, _) => process,
            };
            let mut pauses = self.lives[process].pauses.iter();
            let pause = pauses.find(|(from, length)| (*from..from + length).contains(&time));
            if let Some((from, length)) = pause {
                self.events.push(Reverse((from + length, event)));
            } else if !self.is_dead(process) {
                return Some((process, self.seen(event)));
            }
        }
    }

    fn seen(&self, event: Event<T>) -> Seen<T> {
        match event {
            Event::Timer(_, timer) => Seen::Timer(timer),
            Event::Response(message) | Event::Arrival(message) => {
                let Message {
                    number,
                    sent,
                    answer,
                    ..
                } = &self.messages[message];
                Seen::Answer(*number, sent.clone(), answer.clone().unwrap())
            }
        }
    }
}

// === impl Voter ===

impl Voter {
    pub(crate) fn new(terms: Terms, now: Instant) -> Self {
        Self {
            candidate: Candidate::new(terms, now),
            next: Next::Sleep(now),
            step: 0,
        }
    }

    /// Begins anew, as a process does that has lost its lease. Returns the step of the next timer.
    pub(crate) fn restart(&mut self, terms: Terms, now: Instant) -> u64 {
        let step = self.step + 1;
        *self = Self {
            step,
            ..Self::new(terms, now)
        };
        step
    }

    /// Continues after a timer, or an answer. Returns the next step, its request, and its timer;
    /// `None` after an event of another step.
    pub(crate) fn proceed(
        &mut self,
        step: u64,
        answer: Option<Answer>,
        local: Instant,
        wall_clock: Timestamp,
    ) -> Option<(u64, Option<Request>, Instant)> {
        if self.step != step {
            return None;
        }
        self.next = match self.next {
            Next::Sleep(_) => self.candidate.wake(local, wall_clock),
            Next::Send(..) => {
                let answer = answer.unwrap_or(Answer::Failed);
                self.candidate.answer(answer, local, wall_clock)
            }
        };
        self.step += 1;
        Some(match self.next.clone() {
            Next::Sleep(until) => (self.step, None, until),
            Next::Send(request, limit) => (self.step, Some(request), limit),
        })
    }
}
