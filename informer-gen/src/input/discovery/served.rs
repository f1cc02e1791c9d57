//! Compares the other inputs with the served resources.

use std::collections::BTreeMap;

use super::{Entry, Found};
use crate::error::{Error, Location};
use crate::ir::{Origin, Resource};

/// Served resources by group and version.
#[derive(Default)]
pub(super) struct Served {
    entries: BTreeMap<(String, String), Vec<Entry>>,
    /// Position of the last document, for errors about resources that no document contains.
    last: Option<Location>,
}

// === impl Served ===

impl Served {
    pub(super) fn add(&mut self, found: Found) {
        self.last = found.last.or(self.last.take());
        for entry in found.entries {
            let key = (entry.gvk.group.clone(), entry.gvk.version.clone());
            self.entries.entry(key).or_default().push(entry);
        }
    }

    /// Checks a resource. A built-in kind that the server does not serve is accepted: it belongs to
    /// another Kubernetes version.
    pub(super) fn check(&self, resource: &Resource) -> Result<(), Error> {
        let Some(last) = &self.last else {
            return Ok(());
        };
        let gvk = &resource.gvk;
        let problem = |problem: String, at: &Location| Error::NotServed {
            gvk: Box::new(gvk.clone()),
            origin: resource.origin.to_string(),
            problem,
            at: at.clone(),
        };
        let entries = self.entries.get(&(gvk.group.clone(), gvk.version.clone()));
        let entries = entries.map(Vec::as_slice).unwrap_or_default();
        let by_kind = || entries.iter().find(|entry| entry.gvk.kind == gvk.kind);
        let by_plural = entries.iter().find(|entry| entry.plural == resource.plural);
        let Some(entry) = by_plural.or_else(by_kind) else {
            return match resource.origin {
                Origin::BuiltIn | Origin::Discovery(_) => Ok(()),
                Origin::Manifest(_) | Origin::Source(_) => {
                    Err(problem("is not served".to_owned(), last))
                }
            };
        };
        compare(resource, entry)?;
        match entry.unwatchable() {
            None => Ok(()),
            Some(what) => Err(problem(what, &entry.at)),
        }
    }
}

/// Checks that a resource equals the served resource.
pub(super) fn compare(resource: &Resource, entry: &Entry) -> Result<(), Error> {
    let gvk = &resource.gvk;
    let differs = |what, first: &str, second: &str| Error::Contradiction {
        gvk: Box::new(gvk.clone()),
        what,
        first: format!("`{first}` ({})", resource.origin),
        second: format!("`{second}` ({})", entry.at),
    };
    if entry.plural != resource.plural {
        return Err(differs("plural", &resource.plural, &entry.plural));
    }
    if entry.gvk.kind != gvk.kind {
        return Err(differs("kind", &gvk.kind, &entry.gvk.kind));
    }
    if entry.scope != resource.scope {
        let (first, second) = (resource.scope.to_string(), entry.scope.to_string());
        return Err(differs("scope", &first, &second));
    }
    Ok(())
}
