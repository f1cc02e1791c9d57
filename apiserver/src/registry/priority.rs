//! Priority of versions.

/// Returns the sort key of a version by Kubernetes' preference:
/// `v2 > v1 > v2beta1 > v1alpha1 > anything else`.
pub(crate) fn priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let parsed = || -> Option<(u8, u64, u64)> {
        let rest = version.strip_prefix('v')?;
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (major, stage) = rest.split_at(digits);
        let major = major.parse().ok()?;
        if stage.is_empty() {
            return Some((3, major, 0));
        }
        let (level, minor) = match stage.strip_prefix("beta") {
            Some(minor) => (2, minor),
            None => (1, stage.strip_prefix("alpha")?),
        };
        Some((level, major, minor.parse().ok()?))
    };
    let (level, major, minor) = parsed().unwrap_or((0, 0, 0));
    (level, major, minor, std::cmp::Reverse(version.to_owned()))
}

#[cfg(test)]
mod tests;
