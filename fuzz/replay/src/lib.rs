//! Runs a fuzz target's property in an ordinary test.
//!
//! A property is a function of bytes that panics if it is violated. It is defined once, next to the
//! reader that it checks, and runs in two places: under libFuzzer (`fuzz/fuzz_targets`) for long
//! searches, and through [`check`] in the tests of its package.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::panic,
    reason = "a violated property fails the test"
)]

mod change;
mod corpus;

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{RngSeed, TestRunner};

use self::change::change;
pub use self::corpus::{Entry, corpus};

/// Maximum size of a changed entry, because edits repeat parts.
const MAX_INPUT: usize = 32 << 10;

/// Checks the property of `target` for each entry of its corpus, and for random inputs: changed
/// entries, and arbitrary bytes.
///
/// The random inputs are the same in each run, so only a change of the code can cause a failure.
/// `PROPTEST_CASES` sets their number, and `PROPTEST_RNG_SEED` chooses others, for searches.
pub fn check(target: &str, property: fn(&[u8])) {
    let corpus = corpus(target);
    for entry in &corpus {
        let outcome = catch_unwind(AssertUnwindSafe(|| property(&entry.bytes)));
        assert!(outcome.is_ok(), "{target} does not hold for {}", entry.name);
    }
    let mut config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(1);
    }
    let outcome = TestRunner::new(config).run(&inputs(corpus), |input| {
        property(&input.0);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{target} does not hold. {failure}\nAdd the input to fuzz/corpus/{target}");
    }
}

/// Random input. Displays as a byte string in Rust syntax.
struct Input(Vec<u8>);

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Returns changed entries mostly. One input in eight starts empty.
fn inputs(corpus: Vec<Entry>) -> impl Strategy<Value = Input> {
    let base = prop_oneof![7 => any::<Index>().prop_map(Some), 1 => Just(None)];
    (base, vec(change(), 1..8)).prop_map(move |(base, changes)| {
        let base = base.map(|index| index.get(&corpus).bytes.as_slice());
        let mut input = base.unwrap_or_default().to_vec();
        for change in &changes {
            change.apply(&mut input, &corpus);
            input.truncate(MAX_INPUT);
        }
        Input(input)
    })
}

#[cfg(test)]
mod tests;
