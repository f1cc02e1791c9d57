//! Scripts of faults, which have a text form and can be replayed.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::armed::Faults;
use super::kind::Fault;
use crate::fault::requests::Matcher;
use crate::registry::target::Verb;

/// A list of faults. Each applies to the n-th request that matches, counted from the moment at
/// which [`Control::play`](crate::Control::play) starts the script.
///
/// Steps count independently of each other, so several steps can apply to the same request. A
/// script has a text form: a JSON object a step, one on each line. A failed test prints it, and
/// parsing it replays the script:
///
/// ```
/// use informer_apiserver::{Fault, FaultScript, Matcher, Verb};
///
/// let lists = Matcher::any().verb(Verb::List).resource("pods");
/// let script = FaultScript::new()
///     .at(2, lists, Fault::CutAfter(700))
///     .at(5, Matcher::any(), Fault::Compact);
/// let text = r#"{"request":{"verb":"list","resource":"pods"},"nth":2,"fault":{"cutAfter":700}}
/// {"request":{},"nth":5,"fault":"compact"}
/// "#;
/// assert_eq!(script.to_string(), text);
/// assert_eq!(text.parse::<FaultScript>()?, script);
/// # Ok::<(), informer_apiserver::ParseFaultError>(())
/// ```
///
/// A fault is written as the variant of [`Fault`] in camel case, with its value, and a request as
/// the conditions of its [`Matcher`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FaultScript {
    steps: Vec<ScriptStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ScriptStep {
    request: Matcher,
    nth: NonZeroUsize,
    fault: Fault,
}

/// Error of a text that is not a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the text is not a script of faults: {0}")]
pub struct ParseFaultError(String);

/// A running script. Dropping it removes the pending steps. If it is dropped by a panicking test,
/// it prints the script to standard error.
#[derive(Debug)]
#[must_use = "dropping the run ends the script"]
pub struct FaultRun {
    script: FaultScript,
    run: u64,
    faults: Arc<Mutex<Faults>>,
}

// === impl FaultScript ===

impl FaultScript {
    /// Creates a script without steps.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step: `fault`, for the `nth` matching request, counted from 1.
    #[must_use]
    pub fn at(mut self, nth: usize, matcher: Matcher, fault: Fault) -> Self {
        self.steps.push(ScriptStep {
            request: matcher,
            nth: NonZeroUsize::new(nth).unwrap_or(NonZeroUsize::MIN),
            fault,
        });
        self
    }

    /// Creates a script of `steps` random steps for tests of a cache of `resource`. Lists and
    /// watches fail, break, slow down and expire, and the server's state is rewound. The same seed
    /// gives the same script in this version of the crate; to keep a script, keep its text.
    ///
    /// No step waits forever: there are no stalls, and no pause is longer than two milliseconds.
    #[must_use]
    pub fn seeded(seed: u64, resource: &str, steps: usize) -> Self {
        let mut random = Random(seed);
        let mut script = Self::new();
        let mut nth = [0_usize; 2];
        for _ in 0..steps {
            let watch = random.below(3) > 0;
            let (verb, place) = if watch {
                (Verb::Watch, &mut nth[1])
            } else {
                (Verb::List, &mut nth[0])
            };
            // Faults skip some requests, so that some requests succeed in between.
            *place += 1 + usize::from(random.below(3) == 0);
            let matcher = Matcher::any().verb(verb).resource(resource);
            let fault = random.fault(watch);
            script = script.at(*place, matcher, fault);
        }
        script
    }

    /// Returns the number of steps.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Reports whether the script has no steps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn play(self, faults: Arc<Mutex<Faults>>) -> FaultRun {
        let steps = self
            .steps
            .clone()
            .into_iter()
            .map(|step| (step.request, step.nth.get(), step.fault));
        let run = faults.lock().play(steps);
        FaultRun {
            script: self,
            run,
            faults,
        }
    }
}

impl fmt::Display for FaultScript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| {
            let text = serde_json::to_string(step).map_err(|_| fmt::Error)?;
            writeln!(f, "{text}")
        })
    }
}

impl FromStr for FaultScript {
    type Err = ParseFaultError;

    fn from_str(text: &str) -> Result<Self, ParseFaultError> {
        let steps = serde_json::Deserializer::from_str(text)
            .into_iter()
            .collect::<Result<_, _>>()
            .map_err(|error| ParseFaultError(error.to_string()))?;
        Ok(Self { steps })
    }
}

// === impl FaultRun ===

impl FaultRun {
    /// Returns the whole script.
    #[must_use]
    pub fn script(&self) -> &FaultScript {
        &self.script
    }

    /// Returns the number of pending steps.
    #[must_use]
    pub fn left(&self) -> usize {
        self.faults.lock().left_of(self.run)
    }
}

impl Drop for FaultRun {
    fn drop(&mut self) {
        self.faults.lock().stop(self.run);
        if std::thread::panicking() {
            eprintln!("the faults of this run, to replay them:\n{}", self.script);
        }
    }
}

// === random numbers ===

/// The generator `SplitMix64`, whose sequence does not depend on the version of a library.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    fn few(&mut self) -> usize {
        usize::try_from(self.below(8)).unwrap_or_default()
    }

    fn fault(&mut self, watch: bool) -> Fault {
        const FAILURES: [(u16, &str); 5] = [
            (410, "Expired"),
            (500, "InternalError"),
            (503, "ServiceUnavailable"),
            (504, "Timeout"),
            (403, "Forbidden"),
        ];
        let on_purpose = "on purpose".to_owned();
        match self.below(if watch { 15 } else { 11 }) {
            0 => Fault::Status {
                code: 429,
                reason: "TooManyRequests".to_owned(),
                message: on_purpose,
                retry_after: Some(0),
            },
            1 | 2 => {
                let place = usize::try_from(self.below(5)).unwrap_or_default();
                let (code, reason) = FAILURES.get(place).copied().unwrap_or((500, ""));
                Fault::status(code, reason, on_purpose)
            }
            3 => Fault::CutAfter(self.below(20_000)),
            4 => Fault::TruncateAfter(self.below(20_000)),
            5 => Fault::Delay(Duration::from_micros(self.below(2_000))),
            6 => Fault::Slow {
                bytes: 1 + 512 * (1 + self.few()),
                pause: Duration::from_micros(self.below(500)),
            },
            7 => Fault::Undecodable(1 + self.few()),
            8 => Fault::Compact,
            9 => Fault::ClockSkew(i64::try_from(self.below(7200)).unwrap_or_default() - 3600),
            10 => Fault::Rewind(self.below(20)),
            11 => Fault::LoseBookmarks(1 + self.few()),
            12 => Fault::DuplicateEvents(1 + self.few()),
            13 => Fault::CloseAfter(self.few()),
            _ => Fault::ExpireAfter(self.few()),
        }
    }
}

#[cfg(test)]
mod tests;
