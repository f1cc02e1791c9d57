//! The mixed world: Pods of many templates, as in a cluster that many teams share.
//!
//! Some templates are far more popular than others, by Zipf's law. The templates differ in their
//! containers, volumes, annotations and environment; the Pods of a template differ in their names,
//! identifiers, times and states. Sizes and compressibility are those of a list of Pods that was
//! made from public manifests; docs/performance.md has both figures.

mod container;
mod fields;
mod metadata;
mod spec;
mod status;
mod words;

use std::borrow::Cow;
use std::sync::OnceLock;

use kube::core::ApiResource;

use self::metadata::Metadata;
use self::spec::Spec;
use self::status::State;
use self::words::words;
use super::random::Random;
use super::template::Template;
use super::uniform::node_of;
use super::{Objects, Revision, pods};

const TEMPLATES: usize = 400;
const PODS_PER_WORKLOAD: usize = 3;
const PODS_PER_NAMESPACE: usize = 60;

/// States of a hundred Pods.
const STATES: [(State, usize); 6] = [
    (State::Running, 78),
    (State::Restarted, 10),
    (State::Succeeded, 5),
    (State::Creating, 3),
    (State::CrashLoop, 3),
    (State::Failed, 1),
];

/// Pods of many templates.
#[derive(Debug)]
pub(super) struct Mixed {
    templates: Vec<Pod>,
    /// Sums of the popularities of the templates up to each one.
    popularity: Vec<usize>,
}

/// A template of Pods.
#[derive(Debug)]
struct Pod {
    metadata: Metadata,
    spec: Spec,
    /// Text for each state.
    texts: [OnceLock<Template>; State::ALL.len()],
}

// === impl Mixed ===

impl Mixed {
    pub(super) fn new() -> Self {
        let mut sum = 0;
        let popularity = (0..TEMPLATES).map(|rank| {
            sum += 1_000_000 / (rank + 14);
            sum
        });
        Self {
            popularity: popularity.collect(),
            templates: (0..TEMPLATES).map(Pod::new).collect(),
        }
    }

    /// Returns the template of a workload.
    fn template_of(&self, workload: usize) -> Option<&Pod> {
        let total = self.popularity.last().copied().unwrap_or_default();
        let number = Random::new(2 << 40 | workload as u64).below(total);
        let rank = self.popularity.partition_point(|&sum| sum <= number);
        self.templates.get(rank)
    }
}

impl Objects for Mixed {
    fn resources(&self) -> Vec<ApiResource> {
        pods()
    }

    fn write_members(&self, number: usize, revision: Revision, out: &mut Vec<u8>) {
        let place = Place::new(number, revision);
        let pod = self.template_of(number / PODS_PER_WORKLOAD);
        if let Some(text) = pod.and_then(|pod| pod.text(place.state)) {
            text.write(out, |name, out| place.put(name, out));
        }
    }
}

// === impl Pod ===

impl Pod {
    /// Creates the template of this rank. Popular templates tend to be smaller.
    fn new(rank: usize) -> Self {
        let mut random = Random::new(7 << 40 | rank as u64);
        let size = match random.below(100) + 20 * rank / TEMPLATES {
            0..50 => 0,
            50..72 => 1,
            72..97 => 3,
            97..112 => 8,
            _ => 36,
        };
        let in_mesh = random.chance(26);
        Self {
            metadata: Metadata::create(&mut random, size, in_mesh),
            spec: spec::create(&mut random, size, in_mesh),
            texts: Default::default(),
        }
    }

    fn text(&self, state: State) -> Option<&Template> {
        let texts = State::ALL.iter().zip(&self.texts);
        let (_, text) = texts.into_iter().find(|(of, _)| **of == state)?;
        Some(text.get_or_init(|| {
            let status = status::create(&self.spec, state);
            let metadata = self.metadata.to_json(&self.spec.value, &status);
            let spec = &self.spec.value;
            let text = format!(r#""metadata":{{{metadata}}},"spec":{spec},"status":{status}}}"#);
            // The number of restarts is a number, and its placeholder a string.
            Template::new(&text.replace(r#""$restarts$""#, "$restarts$"))
        }))
    }
}

/// Values of the placeholders of one Pod.
struct Place {
    number: usize,
    revision: Revision,
    state: State,
    app: String,
    hash: String,
    owner: String,
    team: String,
    suffix: String,
    uid: String,
    /// Seconds from the start of the year to the creation of the Pod.
    created: usize,
}

// === impl Place ===

impl Place {
    fn new(number: usize, revision: Revision) -> Self {
        let workload = number / PODS_PER_WORKLOAD;
        let mut of_pod = Random::new(5 << 40 | number as u64);
        let mut of_workload = Random::new(4 << 40 | workload as u64);
        let mut of_namespace = Random::new(3 << 40 | (number / PODS_PER_NAMESPACE) as u64);
        let of_hundred = of_pod.below(100);
        let mut sum = 0;
        let state = STATES.iter().find(|(_, percent)| {
            sum += percent;
            of_hundred < sum
        });
        Self {
            number,
            revision,
            state: state.map(|(state, _)| *state).unwrap_or_default(),
            app: words(&mut of_workload, 2, "-"),
            hash: of_workload.letters(10),
            owner: of_workload.uid(),
            team: words(&mut of_namespace, 2, "-"),
            suffix: of_pod.letters(5),
            uid: of_pod.uid(),
            created: of_workload.below(250 * 86_400) + 37 * (number % PODS_PER_WORKLOAD),
        }
    }

    fn put(&self, name: &str, out: &mut Vec<u8>) {
        let number = self.number;
        let (name, index) = name.split_once(':').unwrap_or((name, "0"));
        let index: usize = index.parse().unwrap_or_default();
        let text = match name {
            "app" => Cow::Borrowed(&*self.app),
            "hash" => (&*self.hash).into(),
            "owner" => (&*self.owner).into(),
            "team" => (&*self.team).into(),
            "suffix" => (&*self.suffix).into(),
            "uid" => (&*self.uid).into(),
            "namespace" => {
                let environment = ["prod", "staging", "dev"].get(number / PODS_PER_NAMESPACE % 3);
                let environment = environment.copied().unwrap_or_default();
                format!(
                    "{}-{environment}-{}",
                    self.team,
                    number / PODS_PER_NAMESPACE
                )
                .into()
            }
            "node" => node_of(number).into(),
            "ip" => format!(
                "10.{}.{}.{}",
                64 + number / 62_500,
                number / 250 % 250,
                number % 250
            )
            .into(),
            "hostip" => format!("10.0.{}.{}", number / 10_000, number / 40 % 250).into(),
            "mac" => format!(
                "{:02x}:{:02x}:{:02x}:{:02x}",
                number >> 16 & 255,
                number >> 8 & 255,
                number & 255,
                7
            )
            .into(),
            "id" => Random::new((6 + index as u64) << 40 | number as u64)
                .hex(64)
                .into(),
            "checksum" => Random::new(1 << 40 | (number / PODS_PER_WORKLOAD) as u64)
                .hex(64)
                .into(),
            "time" => time(self.created + 7 * index).into(),
            "version" => self.revision.version.to_string().into(),
            "restarts" => self.revision.restarts.to_string().into(),
            // The test that decodes Pods detects this value.
            _ => Cow::Borrowed("\u{0}"),
        };
        out.extend_from_slice(text.as_bytes());
    }
}

/// Formats a time, given in seconds after the start of a year whose months have 28 days.
fn time(seconds: usize) -> String {
    let (minutes, second) = (seconds / 60, seconds % 60);
    let (hours, minute) = (minutes / 60, minutes % 60);
    let (days, hour) = (hours / 24, hours % 24);
    let (month, day) = (days / 28 + 1, days % 28 + 1);
    format!("2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests;
