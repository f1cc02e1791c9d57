//! Values of the placeholders of one object: names, identifiers, times, state.

use std::fmt::Write as _;

use super::Revision;
use super::random::Random;
use super::template::word;

const SERVICES: [&str; 5] = ["checkout", "inventory", "ledger", "recommendations", "web"];
const ZONES: [&str; 2] = ["eu-central-1a", "eu-central-1b"];
const STAGES: [&str; 3] = ["prod", "staging", "dev"];
const PER_WORKLOAD: usize = 5;
const PER_NAMESPACE: usize = 60;
const PER_NODE: usize = 40;

/// Percentage of the objects in each state: running, restarted, succeeded, being created, crashing
/// again and again, failed.
pub(super) const STATES: [usize; 6] = [78, 10, 5, 3, 3, 1];

/// Values of one object.
#[derive(Debug)]
pub(super) struct Values {
    number: usize,
    revision: Revision,
    state: usize,
    app: String,
    hash: String,
    owner: String,
    team: String,
    suffix: String,
    uid: String,
    /// Seconds from the start of the year to the creation of the object.
    created: usize,
}

// === impl Values ===

impl Values {
    pub(super) fn new(number: usize, revision: Revision) -> Self {
        let mut of_object = Random::of("object", number);
        let mut of_workload = Random::of("workload", number / PER_WORKLOAD);
        let mut of_namespace = Random::of("namespace", number / PER_NAMESPACE);
        let percent = of_object.below(100);
        let mut sum = 0;
        let state = STATES.iter().position(|share| {
            sum += share;
            percent < sum
        });
        let two = |random: &mut Random| format!("{}-{}", word(random), word(random));
        Self {
            number,
            revision,
            state: state.unwrap_or_default(),
            app: two(&mut of_workload),
            team: two(&mut of_namespace),
            hash: of_workload.letters(10),
            owner: of_workload.uid(),
            suffix: of_object.letters(5),
            uid: of_object.uid(),
            created: of_workload.below(250 * 86_400) + 37 * (number % PER_WORKLOAD),
        }
    }

    pub(super) fn state(&self) -> usize {
        self.state
    }

    /// Returns the variant of the object's workload. Some are far more popular than others, by
    /// Zipf's law.
    pub(super) fn variant(&self, variants: usize) -> usize {
        let share = |rank: usize| 1_000_000 / (rank + 14);
        let mut left =
            Random::of("variant", self.number / PER_WORKLOAD).below((0..variants).map(share).sum());
        let variant = (0..variants).position(|rank| {
            let is_here = left < share(rank);
            left = left.saturating_sub(share(rank));
            is_here
        });
        variant.unwrap_or_default()
    }

    /// Adds the value of a placeholder, `name` or `name:number`.
    pub(super) fn put(&self, placeholder: &str, out: &mut String) {
        let number = self.number;
        let (name, at) = placeholder.split_once(':').unwrap_or((placeholder, "0"));
        let at: usize = at.parse().unwrap_or_default();
        let [low, high, node] = [number % 250, number / 250 % 250, number / PER_NODE];
        let namespace = number / PER_NAMESPACE;
        // Writing to a String cannot fail.
        let _ = match name {
            "app" => out.write_str(&self.app),
            "hash" => out.write_str(&self.hash),
            "owner" => out.write_str(&self.owner),
            "team" => out.write_str(&self.team),
            "suffix" => out.write_str(&self.suffix),
            "uid" => out.write_str(&self.uid),
            "service" => out.write_str(of(&SERVICES, number / PER_WORKLOAD)),
            "zone" => out.write_str(of(&ZONES, node)),
            "namespace" => write!(out, "{}-{}-{namespace}", self.team, of(&STAGES, namespace)),
            "node" => write!(out, "node-{node:04}.eu-central.example.com"),
            "ip" => write!(out, "10.{}.{high}.{low}", 64 + number / 62_500),
            "hostip" => write!(out, "10.0.{}.{}", node / 250, node % 250),
            "number" => write!(out, "{number:05}"),
            "id" => out.write_str(&Random::of("id", number << 8 | at).hex(64)),
            "checksum" => out.write_str(&Random::of("checksum", number / PER_WORKLOAD).hex(64)),
            "time" => out.write_str(&time(self.created + 7 * at)),
            "version" => write!(out, "{}", self.revision.version),
            "restarts" => write!(out, "{}", self.revision.restarts),
            // The test that decodes objects detects this value.
            _ => out.write_str("\u{0}"),
        };
    }
}

fn of<'a>(texts: &[&'a str], number: usize) -> &'a str {
    texts.get(number % texts.len()).copied().unwrap_or_default()
}

/// Formats a time, given in seconds after the start of a year whose months have 28 days.
fn time(seconds: usize) -> String {
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let (days, hour) = (hours / 24, hours % 24);
    let (month, day) = (days / 28 + 1, days % 28 + 1);
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
