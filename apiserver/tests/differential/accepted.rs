//! Exact record of every accepted finding: `accepted/*.txt`.
//!
//! A listed difference describes in words what differs, so the set of findings that it explains
//! could grow unnoticed. The files therefore record each place with both values and the number of
//! findings, and a run with any other finding fails. `ACCEPT_DIFFERENCES=1` rewrites the files, for
//! review.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::compare::Finding;
use crate::differences::Difference;

/// Maximum length of a printed value.
const SHOWN: usize = 120;

/// Findings, grouped by everything but the request.
#[derive(Debug, Default)]
pub(crate) struct Accepted(BTreeMap<Key, Group>);

/// Index of the difference, place, and both values.
type Key = (usize, String, String, String);

#[derive(Debug)]
struct Group {
    times: usize,
    /// First request of the group.
    request: String,
    finding: Finding,
}

// === impl Accepted ===

impl Accepted {
    /// Adds a finding that the difference at `index` explains.
    pub(crate) fn add(&mut self, index: usize, finding: &Finding) {
        let key = (
            index,
            place(&finding.at),
            shown(&finding.at, &finding.real),
            shown(&finding.at, &finding.embedded),
        );
        let group = self.0.entry(key).or_insert_with(|| Group {
            times: 0,
            request: request(&finding.call.to_string()),
            finding: finding.clone(),
        });
        group.times += 1;
    }

    /// Compares the findings with the file of this name; the error lists the differences.
    pub(crate) fn check(&self, name: &str, differences: &[Difference]) -> Result<(), String> {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/differential/accepted")
            .join(name);
        let found = self.render(differences);
        if std::env::var_os("ACCEPT_DIFFERENCES").is_some() {
            std::fs::write(&path, found).unwrap();
            return Ok(());
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        if known == found {
            return Ok(());
        }
        let mut text = format!("{} has other findings:\n", path.display());
        for (mark, from, other) in [("- ", &known, &found), ("+ ", &found, &known)] {
            for line in from
                .lines()
                .filter(|line| !other.lines().any(|o| o == *line))
            {
                let _ = writeln!(text, "{mark}{line}");
            }
        }
        let lines: Vec<&str> = known.lines().collect();
        let new = self
            .0
            .iter()
            .filter(|(key, group)| !lines.contains(&line(key, group).as_str()));
        for (_, Group { finding, .. }) in new {
            let (real, embedded) = (&finding.real, &finding.embedded);
            let _ = writeln!(
                text,
                "{finding}\nwhole real   {real}\nwhole embedded {embedded}"
            );
        }
        Err(text)
    }

    fn render(&self, differences: &[Difference]) -> String {
        let mut text = String::new();
        for (index, difference) in differences.iter().enumerate() {
            let _ = writeln!(text, "# {}", difference.what);
            let of_this = self.0.iter().filter(|(key, _)| key.0 == index);
            for (key, group) in of_this {
                let _ = writeln!(text, "{}", line(key, group));
            }
        }
        text
    }
}

fn line((_, at, real, embedded): &Key, group: &Group) -> String {
    let Group { times, request, .. } = group;
    format!("{times} {at} | {real} | {embedded} | {request}")
}

/// Replaces indices of lists, so that findings in one list form one group.
fn place(at: &str) -> String {
    let parts = at.split('/').map(|part| match part.parse::<usize>() {
        Ok(_) => "#",
        Err(_) => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Formats a value on one line; a hash stands for the omitted remainder.
fn shown(at: &str, value: &Value) -> String {
    if at.ends_with("/serverAddressByClientCIDRs") {
        return match value.as_array() {
            Some(list) if list.is_empty() => "[]".to_owned(),
            _ => "an address of this machine".to_owned(),
        };
    }
    shortened(&value.to_string())
}

fn request(text: &str) -> String {
    shortened(&text.replace('\n', " "))
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= SHOWN {
        return text.to_owned();
    }
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start}..{:08x}", hash(text))
}

/// FNV-1a, which does not depend on the version of the compiler.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
