//! Emits the plan as Rust text.
//!
//! Each item is emitted as tokens, and `text` formats it and composes the texts.

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

use quote::quote;
use syn::ext::IdentExt;

use self::context::{Context, attributes};
use self::text::Text;
use crate::config::Config;
use crate::error::Result;
use crate::ir::VersionGate;
use crate::plan::Plan;
use crate::write::MARKER;

/// Documentation of a main file that is not included in a module.
const DOCUMENTATION: &str = "\
//! Typed informers and listers, by group and version: `factory.apps().v1().deployments()`.

";

/// Returns the text of all files, by their path below the output directory.
pub(crate) fn render(config: &Config, plan: &Plan<'_>) -> Result<BTreeMap<PathBuf, String>> {
    let context = Context::new(config)?;
    let visibility = &context.visibility;
    let mut files = BTreeMap::new();
    let mut modules = Vec::new();
    for group in &plan.groups {
        let versions = group::content(group, &context)?;
        let documentation = group::documentation(group);
        let ident = &group.ident;
        let attributes = attributes();
        let module = quote! {
            #documentation
            #attributes
            #visibility mod #ident
        };
        let text = match config.group_folder() {
            None => Text::block(&module, &[versions])?,
            Some(folder) => {
                let file_name = format!("{}.rs", ident.unraw());
                files.insert(folder.join(file_name), format!("{MARKER}\n\n{versions}"));
                Text::items(&quote!(#module;))?
            }
        };
        modules.push(context.gated(&group.gate(), &VersionGate::open(), &[text]));
    }
    let root = root::content(plan, &context, modules)?;
    let docs = if config.code.file_per_group {
        DOCUMENTATION
    } else {
        ""
    };
    files.insert(
        config.main_file().into(),
        format!("{MARKER}\n\n{docs}{root}"),
    );
    Ok(files)
}
