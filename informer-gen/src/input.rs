//! The inputs: which kinds there are, and what the API says of each.

pub(crate) mod builtin;
pub(crate) mod crd;
mod discovery;
mod files;
mod node;
mod rules;
mod rust;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::config::Config;
use crate::error::Error;
use crate::ir::{Origin, Resource, Skipped};

use self::rust::Sources;

/// What the inputs hold.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
    /// Files that were read, and directories that were searched.
    pub(crate) read: BTreeSet<PathBuf>,
}

/// Reads everything that `config` names.
pub(crate) fn load(config: &Config) -> Result<Loaded, Error> {
    let mut loaded = Loaded::default();
    builtin::load(config, &mut loaded)?;
    let sources = rust::load(config, &mut loaded)?;
    crd::load(config, &sources, &mut loaded)?;
    merge(sources, &mut loaded)?;
    discovery::check(config, &mut loaded)?;
    Ok(loaded)
}

/// Adds the kinds of sources that no manifest defines; the others must say what their manifest
/// says, or requests would go where nothing is served.
fn merge(sources: Sources, loaded: &mut Loaded) -> Result<(), Error> {
    for resource in sources.resources {
        let same = |other: &&Resource| {
            other.gvk == resource.gvk && matches!(other.origin, Origin::Manifest(_))
        };
        let Some(defined) = loaded.resources.iter().find(same) else {
            let unserved = loaded.skipped.iter().any(|skipped| {
                skipped.gvk == resource.gvk && matches!(skipped.origin, Origin::Manifest(_))
            });
            if !unserved {
                loaded.resources.push(resource);
            }
            continue;
        };
        let said = |what, first: String, second: String| Error::Contradiction {
            gvk: Box::new(resource.gvk.clone()),
            what,
            first: format!("`{first}` ({})", defined.origin),
            second: format!("`{second}` ({})", resource.origin),
        };
        if defined.plural != resource.plural {
            let (first, second) = (defined.plural.clone(), resource.plural.clone());
            return Err(said("plural", first, second));
        }
        if defined.scope != resource.scope {
            let (first, second) = (defined.scope.to_string(), resource.scope.to_string());
            return Err(said("scope", first, second));
        }
    }
    loaded.skipped.extend(sources.skipped);
    Ok(())
}
