//! Parses the two forms of a discovery document.

use std::path::Path;

use crate::error::{Error, Location};
use crate::input::node::Node;
use crate::ir::{Gvk, Scope};

/// Served resource.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) gvk: Gvk,
    pub(super) plural: String,
    pub(super) scope: Scope,
    pub(super) verbs: Vec<String>,
    pub(super) at: Location,
}

/// Adds the resources of one document to `entries`, without subresources.
pub(super) fn read(node: &Node, path: &Path, entries: &mut Vec<Entry>) -> Result<(), Error> {
    let not = |problem: &str| Error::NotDiscovery {
        at: node.at(path),
        problem: problem.to_owned(),
    };
    match text(node, "kind") {
        "APIResourceList" => {
            let group_version = text(node, "groupVersion");
            let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
            let resources = items(node, "resources").ok_or_else(|| not("no `resources`"))?;
            let resources = resources.iter();
            entries.extend(resources.filter_map(|node| Entry::plain(node, path, group, version)));
            Ok(())
        }
        "APIGroupDiscoveryList" => {
            for group in items(node, "items").ok_or_else(|| not("no `items`"))? {
                let metadata = group.get("metadata");
                let name = metadata.map_or("", |metadata| text(metadata, "name"));
                for place in items(group, "versions").unwrap_or_default() {
                    let version = text(place, "version");
                    let resources = items(place, "resources").unwrap_or_default().iter();
                    entries.extend(
                        resources.filter_map(|node| Entry::aggregated(node, path, name, version)),
                    );
                }
            }
            Ok(())
        }
        "" => Err(not("it has no `kind`")),
        other => Err(not(&format!(
            "its kind is `{other}`, neither `APIGroupDiscoveryList` nor `APIResourceList`"
        ))),
    }
}

// === impl Entry ===

impl Entry {
    /// Parses an item of `APIResourceList`. Returns `None` for subresources.
    fn plain(node: &Node, path: &Path, group: &str, version: &str) -> Option<Self> {
        let plural = text(node, "name");
        let scope = Scope::new(node.get("namespaced").and_then(Node::as_bool)?);
        let gvk = Gvk::new(group, version, text(node, "kind"));
        (!plural.contains('/')).then(|| Self::new(node, path, gvk, plural, scope))
    }

    /// Parses an item of a version in `APIGroupDiscoveryList`.
    fn aggregated(node: &Node, path: &Path, group: &str, version: &str) -> Option<Self> {
        let scope = match text(node, "scope") {
            "Namespaced" => Scope::Namespaced,
            "Cluster" => Scope::Cluster,
            _ => return None,
        };
        let gvk = Gvk::new(group, version, text(node.get("responseKind")?, "kind"));
        Some(Self::new(node, path, gvk, text(node, "resource"), scope))
    }

    fn new(node: &Node, path: &Path, gvk: Gvk, plural: &str, scope: Scope) -> Self {
        let verbs = items(node, "verbs").unwrap_or_default();
        let verbs = verbs.iter().filter_map(Node::as_str);
        Self {
            gvk,
            plural: plural.to_owned(),
            scope,
            verbs: verbs.map(str::to_owned).collect(),
            at: node.at(path),
        }
    }

    /// Returns the reason why the resource cannot be listed and watched, if so.
    pub(super) fn unwatchable(&self) -> Option<String> {
        let can = |verb: &str| self.verbs.iter().any(|known| known == verb);
        let verbs = self.verbs.join(", ");
        (!can("list") || !can("watch"))
            .then(|| format!("cannot be listed and watched: its verbs are [{verbs}]"))
    }
}

fn items<'n>(node: &'n Node, key: &str) -> Option<&'n [Node]> {
    node.get(key).and_then(Node::as_sequence)
}

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}
