//! Conflicts of an apply with other managers.

use std::collections::BTreeMap;

use super::element::Element;
use super::managers::Identity;
use super::set::Set;

/// Fields of other managers that an apply would change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Conflicts(BTreeMap<String, Vec<String>>);

// === impl Conflicts ===

impl Conflicts {
    pub(super) fn add(&mut self, identity: &Identity, fields: &Set) {
        let paths = self.0.entry(named(identity)).or_default();
        fields.for_each(&mut |path| paths.push(text(path)));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the conflicts as messages for the client, each with its field.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (String, &str)> {
        self.0.iter().flat_map(|(manager, paths)| {
            paths
                .iter()
                .map(move |path| (format!("conflict with {manager}"), path.as_str()))
        })
    }

    /// Returns the human-readable message.
    pub(crate) fn message(&self) -> String {
        let conflicts: Vec<_> = self.iter().collect();
        if let [(manager, path)] = conflicts.as_slice() {
            return format!("Apply failed with 1 conflict: {manager}: {path}");
        }
        let mut lines = Vec::new();
        for (manager, paths) in &self.0 {
            lines.push(format!("conflicts with {manager}:"));
            for path in paths {
                lines.push(format!("- {path}"));
            }
        }
        let count = conflicts.len();
        let list = lines.join("\n");
        format!("Apply failed with {count} conflicts: {list}")
    }
}

/// Returns a text such as `"a" with subresource "status" using v1`.
fn named(identity: &Identity) -> String {
    let mut name = format!("{:?}", identity.manager);
    if !identity.subresource.is_empty() {
        name = format!("{name} with subresource {:?}", identity.subresource);
    }
    if !identity.applies {
        name = format!("{name} using {}", identity.version);
    }
    name
}

fn text(path: &[Element]) -> String {
    path.iter().map(ToString::to_string).collect()
}
