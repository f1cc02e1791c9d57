//! What the names of versions say. All other names are `informer_codegen::names`'.

/// Sorts versions as Kubernetes does: v10, v2, v1, v2beta2, v1beta1, v1alpha1, then the rest by
/// name.
pub(crate) fn version_order(version: &str) -> impl Ord + use<> {
    let parsed = parse_version(version);
    let rank = parsed.map(|(major, stage, minor)| std::cmp::Reverse((stage, major, minor)));
    (rank.is_none(), rank, version.to_owned())
}

/// Whether a version is neither alpha nor beta nor anything else: `v` and a number.
pub(crate) fn is_stable(version: &str) -> bool {
    stage(version) == Some(Stage::Stable)
}

/// How far an API has come, in the order of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    Alpha,
    Beta,
    Stable,
}

/// The stage that a version's name tells; `None` for names of another form.
pub(crate) fn stage(version: &str) -> Option<Stage> {
    parse_version(version).map(|(_, stage, _)| stage)
}

/// Major number, stage, and number within the stage.
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
