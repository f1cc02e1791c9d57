//! [`History`]: the last calls of a controller, by key. Pure.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use informer_controller::workqueue::{Failure, Outcome, Reasons, RecordedCall};
use informer_runtime::ObjectKey;
use informer_runtime::engine::Chain;
use tokio::time::Instant;

use crate::html::Tone;
use crate::series::Rate;

/// Number of calls of a key that are shown, and that stay when calls are forgotten.
const CALLS: usize = 8;
/// Number of calls that stay when calls are forgotten, and half of the most.
const KEPT: usize = 2048;
/// Number of last calls, and of last failures, of all keys.
const LATEST: usize = 8;
/// Maximum length of the text of an error, in characters.
const ERROR: usize = 512;

pub(crate) const HELD_BACK: &str = "held back: a cache does not show its own writes yet";

/// Call that has ended, or that was not made because a cache did not show the key's own writes.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) key: ObjectKey,
    pub(crate) ended: Instant,
    pub(crate) reasons: Reasons,
    pub(crate) waited: Duration,
    pub(crate) worked: Duration,
    pub(crate) tone: Tone,
    pub(crate) end: Cow<'static, str>,
}

/// Last calls of a controller.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The last one first. One sequence, because memory of its own for each call or key costs more
    /// than all else that a call leaves here.
    calls: VecDeque<Call>,
    failures: VecDeque<Call>,
    /// Calls of all keys.
    pub(crate) rate: Rate,
}

// === impl History ===

impl History {
    pub(crate) fn push(&mut self, key: &ObjectKey, run: &RecordedCall<'_>) {
        let call = Call {
            key: key.clone(),
            ended: run.ended,
            reasons: run.reasons.clone(),
            waited: run.waited,
            worked: run.worked,
            tone: tone_of(run.outcome),
            end: end_of(run),
        };
        let is_made = !matches!(run.outcome, Outcome::PutBack);
        self.rate.add(u64::from(is_made), run.ended);
        if matches!(run.outcome, Outcome::Failed(..)) {
            self.failures.push_front(call.clone());
            self.failures.truncate(LATEST);
        }
        if self.calls.len() == 2 * KEPT {
            self.forget();
        }
        self.calls.push_front(call);
    }

    /// Forgets at least half of the calls, first those of a key that is called again and again.
    fn forget(&mut self) {
        let mut numbers: HashMap<ObjectKey, usize> = HashMap::with_capacity(2 * KEPT);
        self.calls.retain(|call| {
            let number = numbers.entry(call.key.clone()).or_default();
            *number += 1;
            *number <= CALLS
        });
        self.calls.truncate(KEPT);
    }

    /// Returns the last calls for a key, the last one first.
    pub(crate) fn of(&self, key: &ObjectKey) -> Vec<Call> {
        let calls = self.calls.iter().filter(|call| call.key == *key);
        calls.take(CALLS).cloned().collect()
    }

    /// Returns the last failures and the last calls of all keys, the last one first.
    pub(crate) fn latest(&self) -> [Vec<Call>; 2] {
        [latest_of(&self.failures), latest_of(&self.calls)]
    }
}

fn latest_of(calls: &VecDeque<Call>) -> Vec<Call> {
    calls.iter().take(LATEST).cloned().collect()
}

fn tone_of(outcome: &Outcome) -> Tone {
    match outcome {
        Outcome::PutBack => Tone::WARN,
        Outcome::Succeeded(_) => Tone::GOOD,
        Outcome::Failed(..) => Tone::BAD,
    }
}

/// Returns the end of a call as text, with the time of the next call if there is one.
fn end_of(run: &RecordedCall<'_>) -> Cow<'static, str> {
    let end = match run.outcome {
        Outcome::PutBack => return HELD_BACK.into(),
        Outcome::Succeeded(_) => Cow::from("done"),
        Outcome::Failed(failure, _) => format!("failed: {}", text_of(failure)).into(),
    };
    match run.again {
        Some(again) => format!("{end}; {again}").into(),
        None => end,
    }
}

fn text_of(failure: &Failure) -> String {
    match failure {
        Failure::Panicked => "panicked".to_owned(),
        Failure::Returned(error) => {
            let text = Chain(&**error).to_string();
            text.chars().take(ERROR).collect()
        }
    }
}
