//! Deprecated API versions and their warnings.

use crate::registry::priority;

/// Warnings of Kubernetes 1.37 for deprecated built-in kinds.
const BUILT_IN: &str = include_str!("deprecations.txt");

/// Returns the warning for a built-in kind, if it is deprecated.
pub(crate) fn of_built_in(api_version: &str, kind: &str) -> Option<String> {
    let start = format!("{api_version} {kind} is deprecated ");
    let found = BUILT_IN.lines().find(|text| text.starts_with(&start));
    found.map(str::to_owned)
}

/// Returns the real server's warning for a deprecated version of a definition without a warning of
/// its own. `others` are the served versions that are not deprecated.
pub(crate) fn of_custom<'a>(
    group: &str,
    kind: &str,
    version: &str,
    others: impl Iterator<Item = &'a str>,
) -> String {
    let newest = others
        .filter(|other| priority(other) > priority(version))
        .max_by_key(|other| priority(other));
    let instead = newest
        .map(|newest| format!("; use {group}/{newest} {kind}"))
        .unwrap_or_default();
    format!("{group}/{version} {kind} is deprecated{instead}")
}

#[cfg(test)]
mod tests {
    use super::{of_built_in, of_custom};

    #[test]
    fn a_deprecated_version_names_its_replacement() {
        let endpoints = of_built_in("v1", "Endpoints");
        let expected =
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
        assert_eq!(endpoints.as_deref(), Some(expected));
        assert_eq!(of_built_in("discovery.k8s.io/v1", "EndpointSlice"), None);
        assert_eq!(of_built_in("v1", "Endpoint"), None);

        let of =
            |others: &[&str]| of_custom("example.com", "Foo", "v1beta1", others.iter().copied());
        let deprecated = "example.com/v1beta1 Foo is deprecated";
        assert_eq!(of(&[]), deprecated);
        assert_eq!(of(&["v1alpha1"]), deprecated);
        let instead = format!("{deprecated}; use example.com/v2 Foo");
        assert_eq!(of(&["v1alpha1", "v2", "v1"]), instead);
    }
}
