//! Priority of versions.

use std::cmp::Reverse;

/// Sort key of a version. The order of the fields is that of their weight.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Priority {
    /// `None` if the version does not follow the pattern of versions.
    number: Option<VersionNumber>,
    name: Reverse<String>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct VersionNumber {
    stability: Stability,
    major: u64,
    minor: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Stability {
    Alpha,
    Beta,
    Stable,
}

/// Returns the sort key of a version by Kubernetes' preference:
/// `v2 > v1 > v2beta1 > v1alpha1 > anything else`.
pub(crate) fn priority(version: &str) -> Priority {
    Priority {
        number: parsed(version),
        name: Reverse(version.to_owned()),
    }
}

fn parsed(version: &str) -> Option<VersionNumber> {
    let rest = version.strip_prefix('v')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (major, stage) = rest.split_at(end);
    let mut number = VersionNumber {
        stability: Stability::Stable,
        major: major.parse().ok()?,
        minor: 0,
    };
    if stage.is_empty() {
        return Some(number);
    }
    if let Some(minor) = stage.strip_prefix("beta") {
        number.stability = Stability::Beta;
        number.minor = minor.parse().ok()?;
    } else {
        let minor = stage.strip_prefix("alpha")?;
        number.stability = Stability::Alpha;
        number.minor = minor.parse().ok()?;
    }
    Some(number)
}

#[cfg(test)]
mod tests;
