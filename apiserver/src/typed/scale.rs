//! Conversion of the owners of replicas between an object and its `Scale`.

use super::element::Element;
use super::managers::{Identity, Managers, Owned};
use super::set::Set;

/// `apiVersion` of a `Scale`.
pub(crate) const SCALE_VERSION: &str = "autoscaling/v1";

/// Returns the path of the replicas in a `Scale`.
fn in_scale() -> Set {
    Set::of_fields(&[&["spec", "replicas"]])
}

fn at(path: &[String]) -> Vec<Element> {
    path.iter()
        .map(|name| Element::field(name.as_str()))
        .collect()
}

// === impl Managers ===

impl Managers {
    /// Returns the owners of the replicas at `path` as managers of a `Scale`.
    pub(crate) fn to_scale(&self, path: &[String]) -> Self {
        let path = at(path);
        let owners = self.0.iter().filter(|(_, owned)| owned.set.has(&path));
        let owners = owners.map(|(identity, owned)| {
            let owned = Owned {
                set: in_scale(),
                api_version: SCALE_VERSION.to_owned(),
                time: owned.time.clone(),
            };
            (identity.in_version(SCALE_VERSION), owned)
        });
        Self(owners.collect())
    }

    /// Returns the managers of an object in `api_version` whose `Scale` has the managers `scale`.
    pub(crate) fn with_scale(mut self, scale: Self, path: &[String], api_version: &str) -> Self {
        let path = at(path);
        let mut replicas = Set::default();
        replicas.insert(&path);
        let mut owners = scale.0;
        self.0.retain(|identity, owned| {
            if owned.set.has(&path) && owners.remove(&identity.in_version(SCALE_VERSION)).is_none()
            {
                owned.set = std::mem::take(&mut owned.set).difference(&replicas);
            }
            !owned.set.is_empty()
        });
        let owners = owners
            .into_iter()
            .filter(|(_, owned)| !owned.set.is_empty());
        for (identity, _) in owners {
            let owned = Owned {
                set: replicas.clone(),
                api_version: api_version.to_owned(),
                // The real server loses the time in the conversion.
                time: None,
            };
            self.0.insert(identity.in_version(api_version), owned);
        }
        self
    }
}

// === impl Identity ===

impl Identity {
    fn in_version(&self, api_version: &str) -> Self {
        Self {
            version: if self.applies {
                String::new()
            } else {
                api_version.to_owned()
            },
            ..self.clone()
        }
    }
}
