//! Emits the plan as Rust text.
//!
//! `wrapper` and `root` emit items as tokens; `text` formats and nests them. The result is parsed
//! again before it is written.

mod for_resource;
mod group;
mod identity;
pub(crate) mod pod_spec;
mod root;
mod text;
mod wrapper;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use quote::ToTokens;

use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::Gate;
use crate::paths;
use crate::plan::Plan;
use crate::write::MARKER;

/// Settings that all emitted code shares.
struct Context {
    runtime: syn::Path,
    /// Path of `k8s-openapi` as text, for calls of its macros.
    k8s_openapi: String,
    visibility: syn::Visibility,
}

/// Returns the text of all files, by their path below the output directory.
pub(crate) fn render(config: &Config, plan: &Plan<'_>) -> Result<BTreeMap<PathBuf, String>, Error> {
    let context = Context::new(config)?;
    let main = Path::new(config.main_file());
    let mut files = BTreeMap::new();
    let mut modules = Vec::new();
    for group in &plan.groups {
        let body = group::content(group, &context)?;
        let head = format!("/// {}\n{}", group::documentation(group), text::UNUSED);
        let ident = &group.ident;
        let module = match config.group_folder() {
            None => text::module(&head, &context, ident, &body),
            Some(folder) => {
                let file_name = format!("{}.rs", ident.to_string().trim_start_matches("r#"));
                files.insert(folder.join(file_name), body);
                text::module_in_file(&head, &context, ident)
            }
        };
        modules.push(text::gated(
            &group.gate(),
            &Gate::open(),
            &context,
            &[module],
        ));
    }
    let documentation = config.has_file_per_group().then(root::documentation);
    let root = root::content(plan, &context, &modules)?;
    let root = documentation.into_iter().chain([root]).collect::<Vec<_>>();
    files.insert(main.to_owned(), root.join("\n"));
    for (path, text) in &mut files {
        *text = format!("{MARKER}\n\n{text}");
        text::check(&path.display().to_string(), text)?;
    }
    Ok(files)
}

// === impl Context ===

impl Context {
    fn new(config: &Config) -> Result<Self, Error> {
        let k8s_openapi = paths::absolute(config.k8s_openapi(), OptionName::K8sOpenapiPath)?;
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
            k8s_openapi: paths::display(&k8s_openapi),
            visibility,
        })
    }

    /// Returns `pub` or `pub(crate)` as text.
    fn visibility_text(&self) -> String {
        let tokens = self.visibility.to_token_stream().to_string();
        tokens.replace(' ', "")
    }
}
