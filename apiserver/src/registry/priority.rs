//! Priority of versions.

/// Returns the sort key of a version by Kubernetes' preference:
/// `v2 > v1 > v2beta1 > v1alpha1 > anything else`.
pub(crate) fn priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let (level, major, minor) = parsed(version).unwrap_or((0, 0, 0));
    (level, major, minor, std::cmp::Reverse(version.to_owned()))
}

/// Returns the level of stability, the major and the minor number of a version; `None` if it does
/// not follow the pattern.
fn parsed(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (digits, stage) = rest.split_at(end);
    let major = digits.parse().ok()?;
    if stage.is_empty() {
        return Some((3, major, 0));
    }
    if let Some(minor) = stage.strip_prefix("beta") {
        return Some((2, major, minor.parse().ok()?));
    }
    let minor = stage.strip_prefix("alpha")?;
    Some((1, major, minor.parse().ok()?))
}

#[cfg(test)]
mod tests;
