//! The inputs: which kinds there are, and what the API says of each.

pub(crate) mod builtin;
pub(crate) mod crd;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::config::Config;
use crate::error::Error;
use crate::ir::{Resource, Skipped};

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
    crd::load(config, &mut loaded)?;
    Ok(loaded)
}
