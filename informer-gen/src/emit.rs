//! Emits the plan as Rust text.
//!
//! `wrapper`, `root` and the types of a kind are emitted as tokens. `text` formats and nests them,
//! item by item, so that the tokens of one kind exist at a time.

mod context;
mod for_resource;
mod group;
mod identity;
pub(crate) mod pod_spec;
mod root;
mod text;
mod wrapper;

use std::collections::BTreeMap;
use std::path::PathBuf;

use syn::ext::IdentExt;

use self::context::Context;
use self::text::Code;
use crate::config::Config;
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::Plan;

/// Returns the text of all files, by their path below the output directory.
pub(crate) fn render(config: &Config, plan: &Plan<'_>) -> Result<BTreeMap<PathBuf, String>, Error> {
    let context = Context::new(config)?;
    let mut files = BTreeMap::new();
    let mut modules = Vec::new();
    for group in &plan.groups {
        let body = group::content(group, &context)?;
        let ident = &group.ident;
        let head = text::module(group::documentation(group), text::UNUSED, &context, ident);
        let module = match config.group_folder() {
            None => Code::block(&head, &body)?,
            Some(folder) => {
                let file_name = format!("{}.rs", ident.unraw());
                files.insert(folder.join(file_name), body.file());
                head.declaration()?
            }
        };
        let gate = group.gate();
        modules.push(text::gated(&gate, &Gate::open(), &context, &[module])?);
    }
    let root = root::content(plan, &context, modules, config.code.file_per_group)?;
    files.insert(config.main_file().into(), root.file());
    Ok(files)
}
