//! Order and stability of API versions. `informer_codegen::names` has all other naming rules.

/// Sorts versions as Kubernetes does: v10, v2, v1, v2beta2, v1beta1, v1alpha1, then the others by
/// name.
pub(crate) fn version_order(version: &str) -> impl Ord + use<> {
    let parsed = parse_version(version);
    let rank = parsed.map(|(major, stage, minor)| std::cmp::Reverse((stage, major, minor)));
    (rank.is_none(), rank, version.to_owned())
}

/// Reports whether a version is stable: `v` and a number.
pub(crate) fn is_stable(version: &str) -> bool {
    stage(version) == Some(Stage::Stable)
}

/// Stability of a version, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// Returns the stability of a version, or `None` for a name of another form.
pub(crate) fn stage(version: &str) -> Option<Stage> {
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
