//! Model of leader election: candidates, their clocks, and a network between them and the server.
//!
//! Time is in milliseconds of the world. A candidate's clock runs at its own rate. A request can be
//! lost before the server or after it, arrive late and out of order, and be applied long after its
//! candidate has given it up. A candidate can be suspended: it then sees neither timers nor answers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use proptest::prelude::*;

use super::*;

/// Time of the world at which all faults end.
const CALM: u64 = 300_000;
/// Time after which somebody must lead: the slowest clock needs 22.5 s for a lease of 15 s.
const SETTLED: u64 = CALM + 60_000;
const END: u64 = SETTLED + 60_000;

/// Fate of one request, in milliseconds, or `None` if it is lost.
#[derive(Debug, Clone)]
struct Fate {
    to_server: Option<u64>,
    to_candidate: Option<u64>,
}

/// Time for which all requests, or all responses, of a new leader are lost.
#[derive(Debug, Clone)]
struct Cut {
    length: u64,
    reaches_server: bool,
}

/// History of one candidate.
#[derive(Debug, Clone)]
struct Life {
    /// Rate of its clock, in thousandths.
    rate: u64,
    /// Difference of its clock, in milliseconds.
    offset: u64,
    starts: u64,
    /// Fates of its requests, in a cycle.
    fates: Vec<Fate>,
    /// Treatment of its requests each time it has begun to lead, in a cycle.
    cuts: Vec<Cut>,
    /// Starts and durations of suspensions.
    pauses: Vec<(u64, u64)>,
    /// Time after which it releases the lease once, if it leads.
    releases: u64,
    /// Time at which its process dies.
    dies: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The response arrives at the candidate. It precedes a timer of the same moment, as in tokio.
    Response { message: usize },
    /// The candidate's timer fires: the end of a pause between attempts, or a request's limit.
    Timer { candidate: usize, step: u64 },
    /// A request arrives at the server.
    Arrival { message: usize },
}

struct Message {
    candidate: usize,
    step: u64,
    request: Request,
    to_candidate: Option<u64>,
    answer: Option<Answer>,
}

struct Actor {
    life: Life,
    candidate: Candidate,
    /// Action in progress.
    next: Next,
    /// Number of the action, so that timers and responses of earlier ones are ignored.
    step: u64,
    sent: usize,
    is_leader: bool,
    has_released: bool,
    /// Times at which it began to lead.
    leaderships: Vec<u64>,
}

struct World {
    base: Instant,
    now: u64,
    lease: Option<Lease>,
    version: u64,
    messages: Vec<Message>,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    actors: Vec<Actor>,
}

// === impl World ===

impl World {
    fn new(lives: Vec<Life>) -> Self {
        let base = Instant::now();
        let mut world = Self {
            base,
            now: 0,
            lease: None,
            version: 0,
            messages: Vec::new(),
            events: BinaryHeap::new(),
            actors: Vec::new(),
        };
        for (number, life) in lives.into_iter().enumerate() {
            let identity = number.to_string();
            let starts = world.local(&life, life.starts);
            world.actors.push(Actor {
                life,
                candidate: Candidate::new(terms(&identity), base),
                next: Next::Sleep(starts),
                step: 0,
                sent: 0,
                is_leader: false,
                has_released: false,
                leaderships: Vec::new(),
            });
            world.begin(number, Next::Sleep(starts));
        }
        world
    }

    /// Returns a candidate's time.
    fn local(&self, life: &Life, time: u64) -> Instant {
        self.base + Duration::from_millis(life.offset) + Duration::from_micros(time * life.rate)
    }

    /// Returns the first time of the world at which a candidate's clock shows `local`.
    fn global(&self, life: &Life, local: Instant) -> u64 {
        let since = local.duration_since(self.base + Duration::from_millis(life.offset));
        u64::try_from(since.as_micros())
            .unwrap()
            .div_ceil(life.rate)
    }

    fn at(&mut self, time: u64, event: Event) {
        self.events.push(Reverse((time, event)));
    }

    /// Carries out a candidate's next action, as the caller of the protocol does.
    fn begin(&mut self, candidate: usize, next: Next) {
        let actor = &mut self.actors[candidate];
        actor.step += 1;
        actor.next = next;
        let (step, life) = (actor.step, actor.life.clone());
        let timer = match actor.next.clone() {
            Next::Sleep(until) => until,
            Next::Send(request, limit) => {
                let fate = actor.fate(self.now);
                actor.sent += 1;
                let message = self.messages.len();
                self.messages.push(Message {
                    candidate,
                    step,
                    request,
                    to_candidate: fate.to_candidate,
                    answer: None,
                });
                if let Some(delay) = fate.to_server {
                    self.at(self.now + delay, Event::Arrival { message });
                }
                let begun = self.local(&life, self.now);
                assert!(
                    limit <= begun + terms("").renew_deadline / 2,
                    "an attempt without a limit"
                );
                limit
            }
        };
        let time = self.global(&life, timer).max(self.now);
        self.at(time, Event::Timer { candidate, step });
    }

    /// Serves a request with optimistic locking.
    fn serve(&mut self, request: Request) -> Answer {
        let known = self
            .lease
            .as_ref()
            .map(|lease| lease.metadata.resource_version.clone());
        let mut written = match request {
            Request::Read => return Answer::Read(self.lease.clone()),
            Request::Create(lease) if known.is_none() => lease,
            Request::Replace(lease) if known == Some(lease.metadata.resource_version.clone()) => {
                lease
            }
            Request::Create(_) | Request::Replace(_) => return Answer::Rejected,
        };
        self.version += 1;
        written.metadata.resource_version = Some(self.version.to_string());
        self.lease = Some(written.clone());
        Answer::Written(written)
    }

    /// Delivers an event to a candidate, or puts it off until the candidate runs.
    fn deliver(&mut self, candidate: usize, step: u64, event: Event, answer: Option<Answer>) {
        let now = self.now;
        let actor = &mut self.actors[candidate];
        if actor.step != step || now >= actor.life.dies {
            return;
        }
        let is_paused = |(from, length): &&(u64, u64)| (*from..from + length).contains(&now);
        if let Some((from, length)) = actor.life.pauses.iter().find(is_paused) {
            let end = from + length;
            return self.at(end, event);
        }
        let (base, life) = (self.base, actor.life.clone());
        let local =
            base + Duration::from_millis(life.offset) + Duration::from_micros(now * life.rate);
        // Another wall clock for each candidate and attempt.
        let wall =
            Timestamp::from_millisecond(i64::try_from(now * 7 + life.offset).unwrap()).unwrap();
        if actor.is_leader && !actor.candidate.leads_at(local) {
            // A process that has lost its lease begins anew.
            actor.is_leader = false;
            actor.candidate = Candidate::new(actor.candidate.terms.clone(), local);
            return self.begin(candidate, Next::Sleep(local));
        }
        if actor.is_leader && !actor.has_released && now >= life.releases && answer.is_none() {
            actor.has_released = true;
            actor.is_leader = false;
            let lease = actor.candidate.released(wall).unwrap();
            actor.candidate = Candidate::new(actor.candidate.terms.clone(), local);
            self.serve(Request::Replace(lease));
            return self.begin(candidate, Next::Sleep(local + secs(1)));
        }
        let next = match (&actor.next, answer) {
            (Next::Sleep(_), _) => actor.candidate.wake(local, wall),
            (Next::Send(..), answer) => {
                let answer = answer.unwrap_or(Answer::Failed);
                actor.candidate.answer(answer, local, wall)
            }
        };
        if actor.candidate.leads_at(local) && !actor.is_leader {
            actor.is_leader = true;
            actor.leaderships.push(now);
        }
        self.begin(candidate, next);
    }

    /// Returns the candidates that lead, each by its own clock.
    fn leaders(&self) -> Vec<usize> {
        let leads = |(number, actor): (usize, &Actor)| {
            let now = self.local(&actor.life, self.now);
            actor.candidate.leads_at(now).then_some(number)
        };
        self.actors.iter().enumerate().filter_map(leads).collect()
    }

    /// Runs the world. Returns the leader at the end.
    fn run(mut self) -> Result<usize, String> {
        let mut settled = None;
        while let Some(Reverse((time, event))) = self.events.pop() {
            self.now = time;
            if time >= END {
                return settled.ok_or_else(|| "no events".to_owned());
            }
            match event {
                Event::Timer { candidate, step } => self.deliver(candidate, step, event, None),
                Event::Arrival { message } => {
                    let answer = self.serve(self.messages[message].request.clone());
                    let sent = &mut self.messages[message];
                    sent.answer = Some(answer);
                    if let Some(delay) = sent.to_candidate {
                        self.at(time + delay, Event::Response { message });
                    }
                }
                Event::Response { message } => {
                    let sent = &self.messages[message];
                    let (candidate, step) = (sent.candidate, sent.step);
                    let answer = sent.answer.clone();
                    self.deliver(candidate, step, event, answer);
                }
            }
            let leaders = self.leaders();
            if leaders.len() > 1 {
                return Err(format!("{leaders:?} lead at {time} ms"));
            }
            if time < SETTLED {
                continue;
            }
            match (leaders.first(), settled) {
                (None, _) => return Err(format!("nobody leads at {time} ms")),
                (Some(leader), None) => settled = Some(*leader),
                (Some(leader), Some(first)) if *leader != first => {
                    return Err(format!("{leader} has replaced {first} at {time} ms"));
                }
                (Some(_), Some(_)) => {}
            }
        }
        Err("no events".to_owned())
    }
}

// === impl Actor ===

impl Actor {
    /// Returns the fate of a request that is sent at `now`.
    fn fate(&self, now: u64) -> Fate {
        if now >= CALM {
            return Fate {
                to_server: Some(10),
                to_candidate: Some(10),
            };
        }
        let fate = self.life.fates[self.sent % self.life.fates.len()].clone();
        let Some(since) = self.leaderships.last() else {
            return fate;
        };
        let cut = &self.life.cuts[self.leaderships.len() % self.life.cuts.len()];
        if now >= since + cut.length {
            return fate;
        }
        Fate {
            to_server: fate.to_server.filter(|_| cut.reaches_server),
            to_candidate: None,
        }
    }
}

fn fates() -> impl Strategy<Value = Vec<Fate>> {
    let delay = || {
        prop_oneof![
            6 => (0..200_u64).prop_map(Some),
            2 => (0..12_000_u64).prop_map(Some),
            1 => (0..60_000_u64).prop_map(Some),
            1 => Just(None),
        ]
    };
    let fate = (delay(), delay()).prop_map(|(to_server, to_candidate)| Fate {
        to_server,
        to_candidate,
    });
    prop::collection::vec(fate, 1..12)
}

fn lives() -> impl Strategy<Value = Vec<Life>> {
    // The bound of a lease of 15 s and a renew deadline of 10 s is a factor of 1.5.
    let rate = prop_oneof![Just(1000_u64), Just(1499), 1000..1499_u64];
    let pauses = prop::collection::vec((0..CALM, 0..30_000_u64), 0..4);
    let length = prop_oneof![Just(0_u64), 0..60_000_u64];
    let cut = (length, any::<bool>()).prop_map(|(length, reaches_server)| Cut {
        length,
        reaches_server,
    });
    let cuts = prop::collection::vec(cut, 1..6);
    let faults = (fates(), cuts, pauses);
    let ends = (0..2 * CALM, 0..4 * CALM);
    let life = (rate, 0..100_000_u64, 0..20_000_u64, faults, ends);
    let life = life.prop_map(|(rate, offset, starts, faults, ends)| Life {
        rate,
        offset,
        starts,
        fates: faults.0,
        cuts: faults.1,
        pauses: faults.2,
        // Faults end with the calm.
        releases: if ends.0 < CALM { ends.0 } else { u64::MAX },
        dies: if ends.1 < CALM { ends.1 } else { u64::MAX },
    });
    prop::collection::vec(life, 2..5).prop_map(|mut lives: Vec<Life>| {
        lives[0].dies = u64::MAX;
        lives
    })
}

proptest! {
    /// At most one candidate leads at any time. When the faults have ended, one leads and stays.
    #[test]
    fn at_most_one_candidate_leads_and_one_leads_in_the_end(
        worlds in prop::collection::vec(lives(), 8)
    ) {
        for lives in worlds {
            let result = World::new(lives).run();
            prop_assert!(result.is_ok(), "{}", result.unwrap_err());
        }
    }
}
