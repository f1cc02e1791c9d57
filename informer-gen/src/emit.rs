//! Emits the plan as Rust text.
//!
//! `wrapper`, `root` and the types of a kind are emitted as tokens. `text` formats and nests them,
//! item by item, so that the tokens of one kind exist at a time.

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

use self::text::Code;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::Gate;
use crate::paths;
use crate::plan::Plan;

/// Settings that all emitted code shares.
struct Context {
    runtime: syn::Path,
    k8s_openapi: syn::Path,
    visibility: syn::Visibility,
}

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
    let root = root::content(plan, &context, modules, config.has_file_per_group())?;
    files.insert(config.main_file().into(), root.file());
    Ok(files)
}

// === impl Context ===

impl Context {
    fn new(config: &Config) -> Result<Self, Error> {
        let visibility = syn::parse_str(config.visibility_text()).map_err(|_| {
            OptionName::Visibility.refuse(
                config.visibility_text(),
                "is not a visibility; use `pub` or `pub(crate)`",
            )
        })?;
        let nestable = match &visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
            syn::Visibility::Inherited => false,
        };
        if !nestable {
            let reason = "has another meaning in nested modules; use `pub` or `pub(crate)`";
            return Err(OptionName::Visibility.refuse(config.visibility_text(), reason));
        }
        Ok(Self {
            runtime: paths::absolute(config.runtime(), OptionName::RuntimePath)?,
            k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?,
            visibility,
        })
    }
}
