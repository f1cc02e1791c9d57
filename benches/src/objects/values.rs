//! Values of the placeholders of one object: names, identifiers, times, state.

use k8s_openapi::jiff::Timestamp;

use super::Revision;
use super::random::Random;
use super::template::WORDS;

/// Start of 2026, as Unix time.
const START: i64 = 1_767_225_600;

const SERVICES: [&str; 5] = ["checkout", "inventory", "ledger", "recommendations", "web"];
const ZONES: [&str; 2] = ["eu-central-1a", "eu-central-1b"];
const STAGES: [&str; 3] = ["prod", "staging", "dev"];
const PER_WORKLOAD: usize = 5;
const PER_NAMESPACE: usize = 60;
const PER_NODE: usize = 40;

/// Percentage of the objects in each state: running, restarted, succeeded, being created, crashing
/// again and again, failed.
const STATES: [usize; 6] = [78, 10, 5, 3, 3, 1];

/// Values of one object.
#[derive(Debug)]
pub(super) struct Values {
    pub(super) number: usize,
    pub(super) revision: Revision,
}

// === impl Values ===

impl Values {
    pub(super) fn state(&self) -> usize {
        position(Random::of("state", self.number), STATES.into_iter())
    }

    /// Returns the variant of the object's workload. Some are far more popular than others, by
    /// Zipf's law.
    pub(super) fn variant(&self, variants: usize) -> usize {
        let random = Random::of("variant", self.number / PER_WORKLOAD);
        let popularity = (0..variants).map(|rank| 1_000_000 / (rank + 14));
        position(random, popularity)
    }

    /// Returns the value of a placeholder, `name` or `name:number`.
    pub(super) fn get(&self, placeholder: &str) -> String {
        let (name, suffix) = placeholder.split_once(':').unwrap_or((placeholder, "0"));
        let at: usize = suffix.parse().unwrap_or_default();
        let number = self.number;
        let node = number / PER_NODE;
        let workload = number / PER_WORKLOAD;
        let namespace = number / PER_NAMESPACE;
        let mut of_object = Random::of(name, number);
        let mut of_workload = Random::of(name, workload);
        match name {
            "app" => two(of_workload),
            "hash" => of_workload.letters(10),
            "owner" => of_workload.uid(),
            "checksum" => of_workload.hex(64),
            "team" => two(Random::of(name, namespace)),
            "suffix" => of_object.letters(5),
            "uid" => of_object.uid(),
            "id" => Random::of(name, number << 8 | at).hex(64),
            "service" => of(&SERVICES, workload),
            "zone" => of(&ZONES, node),
            "namespace" => {
                let team = self.get("team");
                let stage = of(&STAGES, namespace);
                format!("{team}-{stage}-{namespace}")
            }
            "node" => format!("node-{node:04}.eu-central.example.com"),
            "ip" => format!(
                "10.{}.{}.{}",
                64 + number / 62_500,
                number / 250 % 250,
                number % 250
            ),
            "hostip" => format!("10.0.{}.{}", node / 250, node % 250),
            "number" => format!("{number:05}"),
            "time" => {
                let start = of_workload.below(250 * 86_400);
                time(start + 37 * (number % PER_WORKLOAD) + 7 * at)
            }
            "version" => self.revision.version.to_string(),
            "restarts" => self.revision.restarts.to_string(),
            // The test that decodes objects detects this value.
            _ => "\u{0}".to_owned(),
        }
    }
}

/// Returns the position of a random one of these shares.
fn position(mut random: Random, shares: impl Iterator<Item = usize> + Clone) -> usize {
    let at = random.below(shares.clone().sum());
    let mut end = 0;
    for (position, share) in shares.enumerate() {
        end += share;
        if at < end {
            return position;
        }
    }
    0
}

fn two(mut random: Random) -> String {
    format!("{}-{}", random.pick(&WORDS), random.pick(&WORDS))
}

fn of(texts: &[&str], number: usize) -> String {
    texts
        .get(number % texts.len())
        .copied()
        .unwrap_or_default()
        .to_owned()
}

/// Formats a time, given in seconds after the start of the year.
fn time(seconds: usize) -> String {
    let since_epoch = START + i64::try_from(seconds).unwrap_or_default();
    Timestamp::from_second(since_epoch)
        .map(|time| time.to_string())
        .unwrap_or_default()
}
