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

use proc_macro2::Span;

use self::condition::Conditions;
use super::Loaded;
use crate::config::Config;
use crate::error::{Error, Location, OptionName};
use crate::ir::{Resource, Skipped};
use crate::paths;

/// Contents of the source files.
#[derive(Default)]
pub(crate) struct Sources {
    pub(crate) resources: Vec<Resource>,
    pub(crate) skipped: Vec<Skipped>,
}

/// Reads all configured sources.
pub(crate) fn load(config: &Config, loaded: &mut Loaded) -> Result<Sources, Error> {
    let conditions = Conditions::new(&config.features);
    let mut sources = Sources::default();
    for source in &config.rust_source {
        let module = source.module.as_deref().unwrap_or("crate");
        let module = paths::absolute(module, OptionName::RustSource)?;
        let file = std::path::Path::new(&source.pattern);
        let mut walk = modules::Walk::new(&conditions, config.visibility_text() == "pub", loaded);
        walk.root(file, &module)?;
        let candidates = walk.finish();
        if candidates.is_empty() {
            return Err(Error::NoCustomResource {
                path: file.to_owned(),
            });
        }
        for candidate in candidates {
            candidate.add_to(&mut sources);
        }
    }
    Ok(sources)
}

fn location(path: &std::path::Path, span: Span) -> Location {
    let start = span.start();
    Location {
        path: path.to_owned(),
        line: start.line as u64,
        column: start.column as u64 + 1,
    }
}

fn literal(value: &syn::Expr) -> Option<&syn::Lit> {
    let syn::Expr::Lit(value) = value else {
        return None;
    };
    Some(&value.lit)
}
