//! [`History`]: the last calls of a controller, by key. Pure.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use informer_controller::ObjectKey;
use informer_controller::engine::Chain;
use informer_controller::workqueue::{Action, Failure, Outcome, Reasons, Run};
use tokio::time::Instant;

use crate::text::time;
use crate::tone::Tone;

/// Number of calls that are remembered for a key.
const CALLS: usize = 8;
/// Number of keys that are remembered at least, and half of the most. Those without a call for the
/// longest time go first.
const KEYS: usize = 1024;
/// Number of last calls, and of last failures, of all keys.
pub(crate) const LATEST: usize = 8;
/// Maximum length of the text of an error, in characters.
const ERROR: usize = 512;

/// Call that has ended.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) ended: Instant,
    pub(crate) reasons: Reasons,
    pub(crate) waited: Duration,
    pub(crate) worked: Duration,
    pub(crate) end: End,
}

/// End of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    Succeeded(Action),
    Failed(Arc<str>, Action),
    /// There was no call, because a cache did not show the key's own writes.
    HeldBack,
}

/// Last calls of a controller.
#[derive(Debug, Default)]
pub(crate) struct History {
    keys: HashMap<ObjectKey, VecDeque<Arc<Call>>>,
    latest: VecDeque<(ObjectKey, Arc<Call>)>,
    failures: VecDeque<(ObjectKey, Arc<Call>)>,
    pub(crate) calls: u64,
}

// === impl End ===

impl End {
    pub(crate) fn tone(&self) -> Tone {
        match self {
            Self::Succeeded(_) => Tone::Good,
            Self::Failed(..) => Tone::Bad,
            Self::HeldBack => Tone::Warn,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = match self {
            Self::HeldBack => {
                return f.write_str("held back: a cache does not show its own writes yet");
            }
            Self::Succeeded(action) => {
                f.write_str("done")?;
                action
            }
            Self::Failed(error, action) => {
                write!(f, "failed: {error}")?;
                action
            }
        };
        match action {
            Action::Done => Ok(()),
            Action::RequeueAfter(delay) => write!(f, "; again in {}", time(delay)),
            Action::Requeue => f.write_str("; again with the rate limit"),
        }
    }
}

// === impl Call ===

impl Call {
    pub(crate) fn new(run: &Run<'_>, ended: Instant) -> Self {
        Self {
            ended,
            reasons: run.reasons.clone(),
            waited: run.waited,
            worked: run.worked,
            end: match run.outcome {
                Outcome::Succeeded(action) => End::Succeeded(*action),
                Outcome::PutBack => End::HeldBack,
                Outcome::Failed(failure, action) => End::Failed(text_of(failure), *action),
            },
        }
    }
}

fn text_of(failure: &Failure) -> Arc<str> {
    match failure {
        Failure::Panicked => "panicked".into(),
        Failure::Returned(error) => {
            let text = Chain(&**error).to_string();
            text.chars().take(ERROR).collect::<String>().into()
        }
    }
}

// === impl History ===

impl History {
    pub(crate) fn push(&mut self, key: &ObjectKey, call: Call) {
        let call = Arc::new(call);
        self.calls += u64::from(call.end != End::HeldBack);
        push(&mut self.latest, LATEST, (key.clone(), Arc::clone(&call)));
        if matches!(call.end, End::Failed(..)) {
            push(&mut self.failures, LATEST, (key.clone(), Arc::clone(&call)));
        }
        if self.keys.len() >= 2 * KEYS {
            self.forget();
        }
        push(self.keys.entry(key.clone()).or_default(), CALLS, call);
    }

    /// Forgets half of the keys, so that few calls pay for the search.
    fn forget(&mut self) {
        let last = |calls: &VecDeque<Arc<Call>>| calls.back().map(|call| call.ended);
        let mut times: Vec<_> = self.keys.values().map(last).collect();
        let (_, until, _) = times.select_nth_unstable(KEYS - 1);
        self.keys.retain(|_, calls| last(calls) > *until);
    }

    /// Returns the calls for a key, the last one first.
    pub(crate) fn of(&self, key: &ObjectKey) -> Vec<Arc<Call>> {
        let calls = self.keys.get(key).into_iter().flatten();
        calls.rev().cloned().collect()
    }

    /// Returns the last calls of all keys, the last one first.
    pub(crate) fn latest(&self) -> impl Iterator<Item = &(ObjectKey, Arc<Call>)> {
        self.latest.iter().rev()
    }

    /// Returns the last failures of all keys, the last one first.
    pub(crate) fn failures(&self) -> impl Iterator<Item = &(ObjectKey, Arc<Call>)> {
        self.failures.iter().rev()
    }
}

fn push<T>(queue: &mut VecDeque<T>, most: usize, value: T) {
    if queue.len() >= most {
        queue.pop_front();
    }
    queue.push_back(value);
}
