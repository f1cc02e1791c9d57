//! Emits the plan as Rust text.
//!
//! All modules emit tokens, which `text` formats. The types of a kind are formatted at once, so that
//! the tokens of one kind exist at a time.

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

use self::context::Context;
use crate::config::Config;
use crate::error::Error;
use crate::ir::VersionGate;
use crate::plan::Plan;

/// Returns the text of all files, by their path below the output directory.
pub(crate) fn render(config: &Config, plan: &Plan<'_>) -> Result<BTreeMap<PathBuf, String>, Error> {
    let context = Context::new(config)?;
    let visibility = &context.visibility;
    let mut files = BTreeMap::new();
    let mut modules = Vec::new();
    for group in &plan.groups {
        let items = group::content(group, &context)?;
        let documentation = group::documentation(group);
        let ident = &group.ident;
        let body = match config.group_folder() {
            None => quote!({ #items }),
            Some(folder) => {
                let file_name = format!("{}.rs", ident.unraw());
                files.insert(folder.join(file_name), context.file(&items)?);
                quote!(;)
            }
        };
        let module = quote! {
            #documentation
            #[generated]
            #visibility mod #ident #body
        };
        modules.push(text::gated(&group.gate(), &VersionGate::open(), &[module]));
    }
    let root = root::content(plan, &context, &modules, config.code.file_per_group)?;
    files.insert(config.main_file().into(), context.file(&root)?);
    Ok(files)
}
