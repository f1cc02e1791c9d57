//! Random operations and faults against a naive server, on a paused clock. In the end the cache
//! equals the server, a flaky store of the user's equals the cache, and each handler's notifications
//! are legal and add up to the cache.
//!
//! A case is a seed, from which settings, operations and faults are generated.
//! `PROPTEST_CASES` sets the number of cases. `INFORMER_MODEL_SECONDS` plays cases for that time
//! instead. The first is `INFORMER_MODEL_SEED`, or 0, so that each run plays the same. A failure
//! prints the seed and the shortest history that still fails.

// Makes clippy treat the helpers as test code.
#![cfg(test)]

mod case;
mod game;
mod listener;
mod mirror;
mod server;

use std::str::FromStr;

use proptest::test_runner::Config;

use self::case::Case;
use self::game::play;
use self::listener::Counts;

/// Number of cases that exercise each kind of occurrence.
const ENOUGH: u64 = 256;
/// Occurrences that must be exercised.
const OCCURRENCES: [&str; 16] = [
    "initial",
    "live",
    "relist",
    "filter",
    "resync",
    "tombstone",
    "recreation",
    "coalesced",
    "removed",
    "list",
    "streamed case",
    "failure",
    "undecodable",
    "unchanged",
    "settled",
    "failure of the store",
];
/// Number of attempts with a shrunk case: scheduling does not depend on the case alone.
const TRIES: usize = 3;

/// N-08, N-05, C-02, C-10, C-13, C-14, C-15, F-11, H-04, H-10, I-05, R-19.
#[test]
fn n08_whatever_happens_the_cache_ends_as_the_server_and_so_do_the_handlers() {
    let seconds: Option<u64> = variable("INFORMER_MODEL_SECONDS");
    let first: u64 = variable("INFORMER_MODEL_SEED").unwrap_or(0);
    let cases = match seconds {
        Some(_) => u64::MAX,
        None => Config::default().cases.into(),
    };
    let clock = Clock::start();
    let mut total = Counts::default();
    for seed in first..first.saturating_add(cases) {
        if seconds.is_some_and(|seconds| clock.seconds() >= seconds) {
            break;
        }
        let case = Case::new(seed);
        match play(&case) {
            Ok(counts) => total.add_all(&counts),
            Err(fault) => fail(case, &fault),
        }
    }
    println!("from case {first} on: {total:#?}");
    let missing = OCCURRENCES.iter().filter(|name| total.get(name) == 0);
    let missing: Vec<_> = missing.collect();
    assert!(
        total.get("case") < ENOUGH || missing.is_empty(),
        "never exercised: {missing:?}"
    );
}

fn fail(case: Case, fault: &str) {
    let seed = case.seed;
    println!("case {seed}: {fault}\n{case}");
    let fails = |case: &Case| (0..TRIES).any(|_| play(case).is_err());
    let shortest = case.shrink(fails);
    let fault = (0..TRIES).find_map(|_| play(&shortest).err());
    let fault = fault.unwrap_or_default();
    panic!("reproduce with INFORMER_MODEL_SEED={seed} PROPTEST_CASES=1\n{fault}\n{shortest}");
}

fn variable<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let value = text.parse();
    Some(value.unwrap_or_else(|_| panic!("{name} is not a number: {text}")))
}

/// Wall clock. Cases have a clock of their own.
struct Clock(std::time::SystemTime);

impl Clock {
    fn start() -> Self {
        Self(std::time::SystemTime::now())
    }

    fn seconds(&self) -> u64 {
        self.0.elapsed().map_or(0, |elapsed| elapsed.as_secs())
    }
}
