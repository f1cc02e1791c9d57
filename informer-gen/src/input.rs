//! Inputs: the known kinds, and their properties in the API.

pub(crate) mod builtin;
pub(crate) mod crd;
mod files;
mod loaded;
mod rust;
mod selection;
mod text;
mod types;

use std::fmt::Display;

use crate::config::Config;
use crate::error::{Error, Errors, Result};
use crate::ir::{Origin, Resource};

pub(crate) use self::loaded::{Loaded, Watched};
use self::selection::Selection;
use self::types::Types;

/// Reads all inputs of `config`. After an error, the contents are the kinds that were read.
pub(crate) fn load(config: &Config) -> (Loaded, Result<()>) {
    let mut loaded = Loaded::default();
    let result = read(config, &mut loaded);
    (loaded, result)
}

fn read(config: &Config, loaded: &mut Loaded) -> Result<()> {
    builtin::load(config, loaded)?;
    let sources = rust::load(config, loaded)?;
    let types = Types::new(config, &sources)?;
    crd::load(config, &types, loaded)?;
    merge(sources.resources, &types.selection, loaded)?;
    let mut errors = Errors::default();
    types.selection.check_used(loaded, &mut errors);
    loaded.skipped.extend(sources.skipped);
    errors.finish()
}

/// Adds the kinds of sources that no manifest defines. The other kinds must match their manifest,
/// because a request to a wrong path fails.
fn merge(resources: Vec<Resource>, selection: &Selection, loaded: &mut Loaded) -> Result<()> {
    for resource in resources {
        let gvk = &resource.gvk;
        if let Some(reason) = selection.leaves_out(gvk) {
            if !loaded.skipped.iter().any(|known| known.gvk == *gvk) {
                loaded.skipped.push(resource.skipped(reason));
            }
            continue;
        }
        let is_manifest = |origin: &Origin| matches!(origin, Origin::Manifest(_));
        let defined = loaded
            .resources
            .iter()
            .find(|other| other.gvk == *gvk && is_manifest(&other.origin));
        if let Some(defined) = defined {
            check_equal(defined, &resource)?;
            continue;
        }
        let is_unserved = loaded
            .skipped
            .iter()
            .any(|skipped| skipped.gvk == *gvk && is_manifest(&skipped.origin));
        if !is_unserved {
            loaded.resources.push(resource);
        }
    }
    Ok(())
}

/// Checks that the source and the manifest of a kind agree.
fn check_equal(defined: &Resource, resource: &Resource) -> Result<()> {
    let contradiction = |what, first: &dyn Display, second: &dyn Display| {
        Error::new(format!(
            "the {what} of `{}` is `{first}` ({}), but `{second}` ({})",
            resource.gvk, defined.origin, resource.origin
        ))
    };
    if defined.plural != resource.plural {
        return Err(contradiction("plural", &defined.plural, &resource.plural));
    }
    if defined.scope != resource.scope {
        return Err(contradiction("scope", &defined.scope, &resource.scope));
    }
    Ok(())
}
