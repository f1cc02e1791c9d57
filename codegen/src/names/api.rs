//! Names in the API: the rules of the API server, and the order and stability of versions.

use std::cmp::Reverse;

/// Rule for groups.
pub const GROUP: &str = "must be a domain in lower case with at least one dot";
/// Rule for kinds.
pub const KIND: &str = "must be letters, digits and `-`, and begin with a letter";
/// Rule for versions and plurals.
pub const LABEL: &str = "must be lower-case letters, digits and `-`, and begin with a letter";

/// Reports whether `name` is a DNS name with a dot.
#[must_use]
pub fn is_group(name: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(is_label_byte)
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    name.contains('.') && name.len() <= 253 && name.split('.').all(is_part)
}

fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

/// Reports whether `name` is a DNS label in any case.
#[must_use]
pub fn is_kind(name: &str) -> bool {
    is_label(&name.to_ascii_lowercase())
}

/// Reports whether `name` is a DNS label of RFC 1035.
#[must_use]
pub fn is_label(name: &str) -> bool {
    name.len() <= 63
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.bytes().all(is_label_byte)
        && !name.ends_with('-')
}

/// Returns a rule with the value that violates it.
#[must_use]
pub fn found(rule: &str, value: &str) -> String {
    format!("{rule}, found `{}`", value.escape_debug())
}

/// Sorts versions as Kubernetes does: v10, v2, v1, v2beta2, v1beta1, v1alpha1, then the others by
/// name.
#[must_use]
pub fn version_order(version: &str) -> impl Ord + use<> {
    let rank = parse_version(version).map(|(major, stage, minor)| Reverse((stage, major, minor)));
    (rank.is_none(), rank, version.to_owned())
}

/// Reports whether a version is stable: `v` and a number.
#[must_use]
pub fn is_stable(version: &str) -> bool {
    stage(version) == Some(Stage::Stable)
}

/// Stability of a version, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Such as `v1alpha1`.
    Alpha,
    /// Such as `v1beta1`.
    Beta,
    /// Such as `v1`.
    Stable,
}

/// Returns the stability of a version, or `None` for a name of another form.
#[must_use]
pub fn stage(version: &str) -> Option<Stage> {
    parse_version(version).map(|(_, stage, _)| stage)
}

/// Parses the major number, the stability, and the number within the stability.
fn parse_version(version: &str) -> Option<(u32, Stage, u32)> {
    let rest = version.strip_prefix('v')?;
    let letters = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let major = rest.strip_suffix(letters)?.parse().ok()?;
    if letters.is_empty() {
        return Some((major, Stage::Stable, 0));
    }
    let (stage, minor) = match letters.strip_prefix("beta") {
        Some(minor) => (Stage::Beta, minor),
        None => (Stage::Alpha, letters.strip_prefix("alpha")?),
    };
    Some((major, stage, minor.parse().ok()?))
}

#[cfg(test)]
mod tests;
