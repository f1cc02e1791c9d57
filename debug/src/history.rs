//! [`History`]: the last calls of a controller, by key. Pure.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use informer_controller::ObjectKey;
use informer_controller::engine::Chain;
use informer_controller::workqueue::{Action, Failure, Outcome, Reasons, Run};
use maud::{Markup, html};
use tokio::time::Instant;

use crate::html::{Cell, Tone, noted, table};
use crate::route::path;
use crate::series::{Rate, push};
use crate::text::{ago, clock, time};

/// Number of calls that are remembered for a key.
const CALLS: usize = 8;
/// Number of keys that are remembered at least, and half of the most. Those without a call for the
/// longest time go first.
const KEYS: usize = 1024;
/// Number of last calls, and of last failures, of all keys.
const LATEST: usize = 8;
/// Maximum length of the text of an error, in characters.
const ERROR: usize = 512;

pub(crate) const HELD_BACK: &str = "held back: a cache does not show its own writes yet";

/// Call that has ended, or that was not made because a cache did not show the key's own writes.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) key: ObjectKey,
    ended: Instant,
    reasons: Reasons,
    waited: Duration,
    worked: Duration,
    tone: Tone,
    pub(crate) end: Cow<'static, str>,
}

/// Last calls of a controller.
#[derive(Debug, Default)]
pub(crate) struct History {
    keys: HashMap<ObjectKey, VecDeque<Arc<Call>>>,
    latest: VecDeque<Arc<Call>>,
    failures: VecDeque<Arc<Call>>,
    /// Calls of all keys.
    pub(crate) rate: Rate,
}

// === impl History ===

impl History {
    pub(crate) fn push(&mut self, key: &ObjectKey, run: &Run<'_>) {
        let ended = run.ended;
        let (tone, end) = match run.outcome {
            Outcome::PutBack => (Tone::WARN, HELD_BACK.into()),
            Outcome::Succeeded(Action::Done) => (Tone::GOOD, "done".into()),
            Outcome::Succeeded(action) => (Tone::GOOD, format!("done{}", again(*action)).into()),
            Outcome::Failed(failure, action) => {
                let end = format!("failed: {}{}", text_of(failure), again(*action));
                (Tone::BAD, end.into())
            }
        };
        let call = Arc::new(Call {
            key: key.clone(),
            ended,
            reasons: run.reasons.clone(),
            waited: run.waited,
            worked: run.worked,
            tone,
            end,
        });
        self.rate.add(u64::from(tone != Tone::WARN), ended);
        push(&mut self.latest, LATEST, Arc::clone(&call));
        if tone == Tone::BAD {
            push(&mut self.failures, LATEST, Arc::clone(&call));
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

    /// Returns the last failures and the last calls of all keys, the last one first.
    pub(crate) fn latest(&self) -> [Vec<Arc<Call>>; 2] {
        [&self.failures, &self.latest].map(|calls| calls.iter().rev().cloned().collect())
    }
}

fn text_of(failure: &Failure) -> String {
    match failure {
        Failure::Panicked => "panicked".to_owned(),
        Failure::Returned(error) => Chain(&**error).to_string().chars().take(ERROR).collect(),
    }
}

fn again(action: Action) -> String {
    match action {
        Action::Done => String::new(),
        Action::RequeueAfter(delay) => format!("; again in {}", time(delay)),
        Action::Requeue => "; again with the rate limit".to_owned(),
    }
}

/// Returns a table of calls, with their keys as links if they are those of a whole `controller`.
pub(crate) fn calls_table(calls: &[Arc<Call>], controller: Option<&str>) -> Markup {
    table(calls.iter().map(|call| {
        let key = controller.map(|name| {
            let path = path("why", name, Some(&call.key));
            Cell::text("Key", html! { a href=(path) { (call.key.to_string()) } })
        });
        let ended = noted(ago(call.ended) + " ago", clock(call.ended) + " UTC");
        key.into_iter().chain([
            Cell::text("Ended", ended),
            Cell::text("Reasons", reasons_list(&call.reasons)),
            Cell::number("Waited", time(call.waited)),
            Cell::number("Worked", time(call.worked)),
            Cell::text("End", html! { span .(call.tone.0) { (call.end) } }),
        ])
    }))
}

pub(crate) fn reasons_list(reasons: &Reasons) -> Markup {
    html! {
        ul .reasons {
            @for (reason, adds) in reasons.iter() {
                li { (reason.to_string()) @if adds > 1 { " " span .quiet { "×" (adds) } } }
            }
            @if reasons.beyond > 0 { li { (reasons.beyond) " more" } }
        }
    }
}
