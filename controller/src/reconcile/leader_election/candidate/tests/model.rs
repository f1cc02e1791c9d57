//! Model of leader election: any history of candidates, their clocks and requests.

use proptest::prelude::*;

use super::*;
use crate::tests::net::{Answered, Fate, Life, Net, Seen, Sent, Voter, ends, fates, lives};

/// Time of the world at which all faults end.
const CALM: u64 = 300_000;
/// Time after which somebody must lead: the slowest clock needs 22.5 s for a lease of 15 s.
const SETTLED: u64 = CALM + 60_000;
const END: u64 = SETTLED + 60_000;

/// Time for which all requests, or all responses, of a new leader are lost.
#[derive(Debug, Clone)]
struct Cut {
    length: u64,
    reaches_server: bool,
}

/// History of one candidate.
#[derive(Debug, Clone)]
struct History {
    life: Life,
    /// Fates of its requests, in a cycle.
    fates: Vec<Fate>,
    /// Treatment of its requests each time it has begun to lead, in a cycle.
    cuts: Vec<Cut>,
    /// Time after which it releases the lease once, if it leads.
    releases: u64,
}

struct Actor {
    history: History,
    terms: Terms,
    voter: Voter,
    sent: usize,
    is_leader: bool,
    has_released: bool,
    /// Times at which it began to lead.
    leaderships: Vec<u64>,
}

struct World {
    net: Net<u64>,
    actors: Vec<Actor>,
}

// === impl World ===

impl World {
    fn new(histories: Vec<History>) -> Self {
        let lives = histories.iter().map(|history| history.life.clone());
        let net = Net::new(lives.collect(), &0, u64::MAX);
        let actor = |(number, history): (usize, History)| {
            let terms = terms(&number.to_string());
            Actor {
                history,
                voter: Voter::new(terms.clone(), net.local(number)),
                terms,
                sent: 0,
                is_leader: false,
                has_released: false,
                leaderships: Vec::new(),
            }
        };
        let actors = histories.into_iter().enumerate().map(actor).collect();
        Self { net, actors }
    }

    /// Delivers an event to a candidate, and carries out its next action.
    fn deliver(&mut self, number: usize, seen: Seen<u64>) {
        let (step, answer) = match seen {
            Seen::Timer(step) => (step, None),
            Seen::Answer(step, _, Answered::One(answer)) => (step, Some(answer)),
            Seen::Answer(_, _, Answered::List(_)) => unreachable!("nobody lists"),
        };
        let Self { net, actors } = self;
        let (now, local, wall) = (net.now, net.local(number), net.wall_clock(number));
        let actor = &mut actors[number];
        if actor.voter.step != step {
            return;
        }
        let is_over = actor.is_leader && !actor.voter.candidate.leads_at(local);
        let is_due = !actor.has_released && now >= actor.history.releases && answer.is_none();
        if is_over || (actor.is_leader && is_due) {
            let mut begins = local;
            if !is_over {
                actor.has_released = true;
                let lease = actor.voter.candidate.released(wall).unwrap();
                net.serve(&actor.terms.name, Request::Replace(lease));
                begins += secs(1);
            }
            actor.is_leader = false;
            let step = actor.voter.restart(actor.terms.clone(), local);
            return net.timer(number, begins, step);
        }
        let Some((step, request, until)) = actor.voter.proceed(step, answer, local, wall) else {
            return;
        };
        if actor.voter.candidate.leads_at(local) && !actor.is_leader {
            actor.is_leader = true;
            actor.leaderships.push(now);
        }
        if let Some(request) = request {
            let limit = local + actor.terms.renew_deadline / 2;
            assert!(until <= limit, "an attempt without a limit");
            let sent = Sent::One(actor.terms.name.clone(), request);
            net.send(number, step, sent, &actor.fate(now));
        }
        net.timer(number, until, step);
    }

    /// Returns the candidates that lead, each by its own clock.
    fn leaders(&self) -> Vec<usize> {
        let leads = |number: &usize| {
            let candidate = &self.actors[*number].voter.candidate;
            candidate.leads_at(self.net.local(*number))
        };
        (0..self.actors.len()).filter(leads).collect()
    }

    /// Runs the world. Returns the leader at the end.
    fn run(mut self) -> Result<usize, String> {
        let mut settled = None;
        while let Some((number, seen)) = self.net.next(END) {
            self.deliver(number, seen);
            let (time, leaders) = (self.net.now, self.leaders());
            match (leaders.as_slice(), settled) {
                ([_, _, ..], _) => return Err(format!("{leaders:?} lead at {time} ms")),
                _ if time < SETTLED => {}
                ([], _) => return Err(format!("nobody leads at {time} ms")),
                ([leader], None) => settled = Some(*leader),
                ([leader], Some(first)) if *leader != first => {
                    return Err(format!("{leader} has replaced {first} at {time} ms"));
                }
                ([_], Some(_)) => {}
            }
        }
        settled.ok_or_else(|| "no events".to_owned())
    }
}

// === impl Actor ===

impl Actor {
    /// Returns the fate of a request that is sent at `now`.
    fn fate(&mut self, now: u64) -> Fate {
        let History { fates, cuts, .. } = &self.history;
        let fate = fates[self.sent % fates.len()].clone();
        self.sent += 1;
        if now >= CALM {
            return Fate::GOOD;
        }
        let cut = &cuts[self.leaderships.len() % cuts.len()];
        let since = self.leaderships.last();
        if since.is_none_or(|since| now >= since + cut.length) {
            return fate;
        }
        Fate {
            to_server: fate.to_server.filter(|_| cut.reaches_server),
            to_sender: None,
        }
    }
}

fn histories() -> impl Strategy<Value = Vec<History>> {
    let length = prop_oneof![Just(0_u64), 0..60_000_u64];
    let cut = (length, any::<bool>()).prop_map(|(length, reaches_server)| Cut {
        length,
        reaches_server,
    });
    let cuts = prop::collection::vec(cut, 1..6);
    let history = (lives(20_000, CALM), fates(12_000, 60_000), cuts, ends(CALM));
    let history = history.prop_map(|(life, fates, cuts, releases)| History {
        life,
        fates,
        cuts,
        releases,
    });
    prop::collection::vec(history, 2..5).prop_map(|mut histories| {
        histories[0].life.dies = u64::MAX;
        histories
    })
}

proptest! {
    /// At most one candidate leads at any time. When the faults have ended, one leads and stays.
    #[test]
    fn at_most_one_candidate_leads_and_one_leads_in_the_end(
        worlds in prop::collection::vec(histories(), 8)
    ) {
        for histories in worlds {
            let result = World::new(histories).run();
            prop_assert!(result.is_ok(), "{}", result.unwrap_err());
        }
    }
}
