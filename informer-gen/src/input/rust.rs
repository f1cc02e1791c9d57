//! Kinds that Rust source defines with `#[derive(CustomResource)]` and `#[kube(..)]`.
//!
//! `modules` follows a file and its modules as rustc does, `condition` evaluates `cfg`, and `kube`
//! reads the attributes with kube-derive's defaults. Names are not resolved: renamed derives, and
//! types from macros or `include!`, are not found.

mod condition;
mod declared;
mod kube;
mod modules;
mod parse;

use std::path::Path;

use self::condition::Conditions;
use super::loaded::{Loaded, Sources};
use crate::config::Config;
use crate::error::{OptionName, Result, ShownPath};
use crate::paths;

/// Reads all configured sources.
pub(crate) fn load(config: &Config, loaded: &mut Loaded) -> Result<Sources> {
    let conditions = Conditions::new(&config.inputs.features);
    let mut sources = Sources::default();
    for source in &config.inputs.rust_source {
        let module_text = source.module.as_deref().unwrap_or("crate");
        let module = paths::absolute(module_text, OptionName::RUST_SOURCE)?;
        let file = Path::new(&source.pattern);
        let wrappers_are_public = config.visibility_text() == "pub";
        let mut walk = modules::Walk::new(&conditions, wrappers_are_public, loaded);
        walk.root(file, &module)?;
        let candidates = walk.finish();
        if candidates.is_empty() {
            return Err(OptionName::RUST_SOURCE.refuse(
                ShownPath(file),
                "and its modules have no `#[derive(CustomResource)]` with `#[kube(..)]`; types \
                 from macros and `include!` are not found",
            ));
        }
        for candidate in candidates {
            candidate.add_to(&mut sources);
        }
    }
    Ok(sources)
}
