//! What an API server says of its resources: the word that counts.
//!
//! Discovery knows plural, scope and verbs, and no types. So it adds no kinds, but shows where the
//! other inputs are wrong, before a request at run time does.

use std::collections::BTreeMap;
use std::path::Path;

use super::node::{self, Node};
use super::{Loaded, files};
use crate::config::Config;
use crate::error::{Error, Location, OptionName};
use crate::ir::{Origin, Resource, Scope};

/// Resources by group and version.
#[derive(Default)]
struct Served(BTreeMap<(String, String), Vec<Entry>>);

struct Entry {
    plural: String,
    kind: String,
    scope: Scope,
    verbs: Vec<String>,
    at: Location,
}

/// Compares what is loaded with the documents that `config` names.
pub(super) fn check(config: &Config, loaded: &mut Loaded) -> Result<(), Error> {
    if config.discovery.is_empty() {
        return Ok(());
    }
    let mut served = Served::default();
    let mut last = None;
    for pattern in &config.discovery {
        let found = files::find(pattern, OptionName::Discovery)?;
        loaded.read.extend(found.directory);
        for path in found.files {
            let text = files::read(&path)?;
            loaded.read.insert(path.clone());
            for document in node::parse(&path, &text)? {
                served.add(&document, &path)?;
                last = Some(document.at(&path));
            }
        }
    }
    let Some(last) = last else {
        return Ok(());
    };
    let resources = loaded.resources.iter();
    resources
        .into_iter()
        .try_for_each(|resource| served.check(resource, &last))
}

// === impl Served ===

impl Served {
    fn add(&mut self, document: &Node, path: &Path) -> Result<(), Error> {
        let not = |problem: &str| Error::NotDiscovery {
            at: document.at(path),
            problem: problem.to_owned(),
        };
        let items =
            |node: &'_ Node, key| node.get(key).and_then(Node::as_sequence).map(<[_]>::to_vec);
        match text(document, "kind") {
            "APIResourceList" => {
                let group_version = text(document, "groupVersion");
                let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
                let resources =
                    items(document, "resources").ok_or_else(|| not("no `resources`"))?;
                let place = self.place(group, version);
                place.extend(resources.iter().filter_map(|node| Entry::plain(node, path)));
                Ok(())
            }
            "APIGroupDiscoveryList" => {
                for group in items(document, "items").ok_or_else(|| not("no `items`"))? {
                    let metadata = group.get("metadata");
                    let name = metadata.map_or("", |metadata| text(metadata, "name"));
                    for version in items(&group, "versions").unwrap_or_default() {
                        let resources = items(&version, "resources").unwrap_or_default();
                        let place = self.place(name, text(&version, "version"));
                        let entries = resources.iter();
                        place.extend(entries.filter_map(|node| Entry::aggregated(node, path)));
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

    fn place(&mut self, group: &str, version: &str) -> &mut Vec<Entry> {
        let key = (group.to_owned(), version.to_owned());
        self.0.entry(key).or_default()
    }

    /// A built-in kind that the server does not know is one of another version of Kubernetes.
    fn check(&self, resource: &Resource, last: &Location) -> Result<(), Error> {
        let gvk = &resource.gvk;
        let problem = |problem: String, at: &Location| Error::NotServed {
            gvk: Box::new(gvk.clone()),
            origin: resource.origin.to_string(),
            problem,
            at: at.clone(),
        };
        let entries = self.0.get(&(gvk.group.clone(), gvk.version.clone()));
        let entries = entries.map(Vec::as_slice).unwrap_or_default();
        let by_kind = || entries.iter().find(|entry| entry.kind == gvk.kind);
        let by_plural = entries.iter().find(|entry| entry.plural == resource.plural);
        let Some(entry) = by_plural.or_else(by_kind) else {
            return match resource.origin {
                Origin::BuiltIn => Ok(()),
                Origin::Manifest(_) | Origin::Source(_) => {
                    Err(problem("is not served".to_owned(), last))
                }
            };
        };
        let differs = |what, first: &str, second: &str| Error::Contradiction {
            gvk: Box::new(gvk.clone()),
            what,
            first: format!("`{first}` ({})", resource.origin),
            second: format!("`{second}` ({})", entry.at),
        };
        if entry.plural != resource.plural {
            return Err(differs("plural", &resource.plural, &entry.plural));
        }
        if entry.kind != gvk.kind {
            return Err(differs("kind", &gvk.kind, &entry.kind));
        }
        if entry.scope != resource.scope {
            let (first, second) = (resource.scope.to_string(), entry.scope.to_string());
            return Err(differs("scope", &first, &second));
        }
        let can = |verb: &str| entry.verbs.iter().any(|known| known == verb);
        if can("list") && can("watch") {
            return Ok(());
        }
        let verbs = entry.verbs.join(", ");
        let what = format!("cannot be listed and watched: its verbs are [{verbs}]");
        Err(problem(what, &entry.at))
    }
}

// === impl Entry ===

impl Entry {
    /// An item of `APIResourceList`; `None` for subresources.
    fn plain(node: &Node, path: &Path) -> Option<Self> {
        let plural = text(node, "name");
        let scope = Scope::new(node.get("namespaced").and_then(Node::as_bool)?);
        let kind = text(node, "kind");
        (!plural.contains('/')).then(|| Self::new(node, path, plural, kind, scope))
    }

    /// An item of a version in `APIGroupDiscoveryList`.
    fn aggregated(node: &Node, path: &Path) -> Option<Self> {
        let scope = match text(node, "scope") {
            "Namespaced" => Scope::Namespaced,
            "Cluster" => Scope::Cluster,
            _ => return None,
        };
        let kind = text(node.get("responseKind")?, "kind");
        Some(Self::new(node, path, text(node, "resource"), kind, scope))
    }

    fn new(node: &Node, path: &Path, plural: &str, kind: &str, scope: Scope) -> Self {
        let verbs = node.get("verbs").and_then(Node::as_sequence);
        let verbs = verbs.unwrap_or_default().iter().filter_map(Node::as_str);
        Self {
            plural: plural.to_owned(),
            kind: kind.to_owned(),
            scope,
            verbs: verbs.map(str::to_owned).collect(),
            at: node.at(path),
        }
    }
}

fn text<'n>(node: &'n Node, key: &str) -> &'n str {
    node.get(key).and_then(Node::as_str).unwrap_or_default()
}
