//! Every finding that was accepted, to the letter: `accepted/*.txt`.
//!
//! A listed difference says in words what differs; what it explains could grow unseen. So each place
//! with both values, and how often it is found, is kept in a file, and a run that finds anything
//! else fails. `ACCEPT_DIFFERENCES=1` writes the files anew, for a reviewer to look at.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::Value;

use crate::compare::Finding;
use crate::differences::Difference;

/// How much of a value is written out.
const SHOWN: usize = 120;

/// What was found, in groups that are alike in all but the request.
#[derive(Debug, Default)]
pub(crate) struct Accepted(BTreeMap<Key, Group>);

/// Which difference, where, and both values.
type Key = (usize, String, String, String);

#[derive(Debug)]
struct Group {
    times: usize,
    /// The first of them.
    request: String,
    finding: Finding,
}

// === impl Accepted ===

impl Accepted {
    /// Adds what the difference at `index` explains.
    pub(crate) fn add(&mut self, index: usize, finding: &Finding) {
        let key = (
            index,
            place(&finding.at),
            shown(&finding.at, &finding.real),
            shown(&finding.at, &finding.double),
        );
        let group = self.0.entry(key).or_insert_with(|| Group {
            times: 0,
            request: request(&finding.call.to_string()),
            finding: finding.clone(),
        });
        group.times += 1;
    }

    /// Compares with the file of this name; what differs is the error.
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
            let (real, double) = (&finding.real, &finding.double);
            let _ = writeln!(
                text,
                "{finding}\nwhole real   {real}\nwhole double {double}"
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

fn line((_, at, real, double): &Key, group: &Group) -> String {
    let Group { times, request, .. } = group;
    format!("{times} {at} | {real} | {double} | {request}")
}

/// Places in lists are alike.
fn place(at: &str) -> String {
    let parts = at.split('/').map(|part| match part.parse::<usize>() {
        Ok(_) => "#",
        Err(_) => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// A value on one line, with a hash for what there is no room for.
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
    // FNV-1a, which is the same with every compiler.
    let hash = text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let start: String = text.chars().take(SHOWN).collect();
    format!("{start}..{hash:08x}")
}
