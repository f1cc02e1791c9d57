//! Decisions of the machine as text. On each line, an occurrence and `=>` its consequences.
//!
//! An occurrence is a sequence of words, of which the last ends the request: `page 5`, `page 5
//! TOKEN`, `list-fails KIND`, `probe 5`, `probe-fails KIND`, `connect-fails KIND`, `watch-fails
//! KIND`, `closes`, `silence` (of an answered streaming list), `unanswered` (for one that was not
//! answered), `panics`, `lacks` (an index needs a list). Events of the watch with their versions may
//! precede it (`+5` added, `~5` modified or deleted, `b5` a bookmark, `end5`, `rejected`), and elapsed
//! time (`3s`, `200ms`).
//!
//! The consequences are the reported failure (`!Watch`), the delays (`wait 1s`) and the next
//! request. A list that is `complete 5 anew` counts each of its objects as changed.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::support::{failure, list_text, probe_text, watch_text};
use crate::object::ResourceVersion;
use crate::reflector::collect::Versions;
use crate::reflector::machine::Machine;
use crate::reflector::step::{Page, Reaction, Step};
use crate::reflector::{ExponentialBackoff, WatchListMode};
use crate::shared_informer::InformerConfig;
use crate::status::ReflectorError;
use crate::wire::{ListMeta, RawEvent, RawObject, Rejected};

/// Returns a config with delays of 1, 2, 4 .. 30 s, without jitter.
pub(super) fn streaming() -> InformerConfig {
    InformerConfig::new().backoff(|| {
        ExponentialBackoff::new(Duration::from_secs(1), Duration::from_secs(30)).jitter(0.0)
    })
}

/// Returns the same config, without streaming lists.
pub(super) fn listing() -> InformerConfig {
    streaming().watch_list(WatchListMode::Never)
}

/// Machine, and the current time.
pub(super) struct Run {
    pub(super) machine: Machine,
    pub(super) now: Instant,
}

// === impl Run ===

impl Run {
    #[expect(clippy::needless_pass_by_value, reason = "callers make it in place")]
    pub(super) fn new(config: InformerConfig) -> Self {
        Self {
            machine: Machine::new(&config.reflector(), true, 7),
            now: Instant::now(),
        }
    }

    pub(super) fn check(&mut self, script: &str) {
        let (mut actual, mut expected) = (Vec::new(), Vec::new());
        for line in script.lines().filter(|line| !line.trim().is_empty()) {
            let (happened, follows) = line.split_once("=>").unwrap();
            let happened = happened.trim();
            actual.push(format!("{happened} => {}", self.happens(happened)));
            expected.push(format!("{happened} => {}", follows.trim()));
        }
        assert_eq!(actual.join("\n"), expected.join("\n"));
    }

    /// Plays these words, and returns all consequences.
    pub(super) fn happens(&mut self, words: &str) -> String {
        let mut follows = Vec::new();
        let mut words = words.split_whitespace();
        while let Some(word) = words.next() {
            follows.extend(self.word(word, &mut words));
        }
        follows.join(", ")
    }

    fn word<'w>(&mut self, word: &str, rest: &mut impl Iterator<Item = &'w str>) -> Vec<String> {
        let mut kind = || failure(rest.next().unwrap());
        let now = self.now;
        let machine = &mut self.machine;
        let report = match word {
            "begins" => None,
            "page" => {
                let version = rest.next().unwrap();
                let meta = match rest.next() {
                    Some(token) => ListMeta::page(version, token),
                    None => ListMeta::at(version),
                };
                let versions = machine.versions();
                match machine.on_page(&meta) {
                    Ok(page) => {
                        if let Page::Complete(_) = page {
                            machine.on_replaced();
                        }
                        let first = match page {
                            Page::More => None,
                            Page::Complete(version) => Some(completed(&version, versions)),
                            Page::Failed(failure) => Some(reported(&failure)),
                        };
                        let mut follows: Vec<String> = first.into_iter().collect();
                        follows.extend(self.steps());
                        return follows;
                    }
                    Err(error) => Some(machine.on_list_error(error, now)),
                }
            }
            "probe" => machine.on_probe(Ok(rest.next().unwrap().into()), now),
            "probe-fails" => machine.on_probe(Err(kind()), now),
            "list-fails" => Some(machine.on_list_error(kind(), now)),
            "connect-fails" => Some(machine.on_connect_error(kind(), now)),
            "watch-fails" => Some(machine.on_watch_error(kind(), now)),
            "closes" => machine.on_watch_end(now),
            "silence" => Some(machine.on_silence(now)),
            "lacks" => {
                machine.relist();
                None
            }
            "unanswered" => Some(machine.on_unanswered()),
            "panics" => Some(machine.on_panic("boom", now)),
            event => return self.event(event),
        };
        let mut follows: Vec<String> = report.iter().map(reported).collect();
        follows.extend(self.steps());
        follows
    }

    fn event(&mut self, word: &str) -> Vec<String> {
        if let Some(time) = time(word) {
            self.now += time;
            return Vec::new();
        }
        let object = |version| {
            let metadata = json!({"name": "a", "resourceVersion": version});
            RawObject::from_value(&json!({"metadata": metadata})).unwrap()
        };
        let event = match word.split_at(1) {
            ("+", version) => RawEvent::Added(object(version)),
            ("~", version) => RawEvent::Modified(object(version)),
            ("b", version) => RawEvent::bookmark(version),
            _ if word == "rejected" => RawEvent::Rejected(Rejected {
                key: None,
                reason: "another kind".to_owned(),
            }),
            _ => match word.strip_prefix("end") {
                Some(version) => RawEvent::initial_events_end(version),
                None => panic!("no such word: {word}"),
            },
        };
        let versions = self.machine.versions();
        match self.machine.on_event(&event, self.now) {
            Reaction::Apply => Vec::new(),
            Reaction::Complete(version) => {
                self.machine.on_replaced();
                vec![completed(&version, versions)]
            }
            Reaction::Failed(failure) => {
                let mut follows = vec![reported(&failure)];
                follows.extend(self.steps());
                follows
            }
        }
    }

    /// Performs the delays, up to the next request.
    fn steps(&mut self) -> Vec<String> {
        let mut steps = Vec::new();
        loop {
            match self.machine.step(self.now) {
                Step::Backoff(delay) => {
                    self.now += delay;
                    steps.push(format!("wait {}s", delay.as_secs_f64()));
                }
                Step::List { options, .. } => {
                    steps.push(list_text(&options));
                    return steps;
                }
                Step::Probe(options) => {
                    steps.push(probe_text(&options));
                    return steps;
                }
                Step::Watch(options) => {
                    steps.push(watch_text(&options));
                    return steps;
                }
            }
        }
    }
}

fn time(word: &str) -> Option<Duration> {
    if let Some(millis) = word.strip_suffix("ms") {
        return Some(Duration::from_millis(millis.parse().ok()?));
    }
    Some(Duration::from_secs(word.strip_suffix('s')?.parse().ok()?))
}

fn completed(version: &ResourceVersion, versions: Versions) -> String {
    match versions {
        Versions::Comparable => format!("complete {version}"),
        Versions::Restarted => format!("complete {version} anew"),
    }
}

fn reported(error: &ReflectorError) -> String {
    let kind = match error {
        ReflectorError::List(_) => "List",
        ReflectorError::Connect(_) => "Connect",
        ReflectorError::Watch(_) => "Watch",
        ReflectorError::VeryShortWatch => "VeryShortWatch",
        ReflectorError::WatchListRefused(_) => "WatchListRefused",
        ReflectorError::BookmarkMissing(_) => "BookmarkMissing",
        ReflectorError::Lagging(_) => "Lagging",
        ReflectorError::WentBack { .. } => "WentBack",
        ReflectorError::OverBudget { .. } => "OverBudget",
        ReflectorError::Object(_) => "Object",
        ReflectorError::Rejected(_) => "Rejected",
        ReflectorError::InNamespace { .. } => "InNamespace",
    };
    format!("!{kind}")
}
