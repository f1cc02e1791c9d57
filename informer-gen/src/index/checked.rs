//! Checks an index and resolves its names and types.

use informer_codegen::emit::{string, type_text};
use informer_codegen::ir::{self, Source, Walk};
use informer_codegen::names;
use informer_codegen::path::Spelling;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Type, parse_quote};

use super::{Index, Over};
use crate::error::{Error, OptionName};
use crate::fields::{self, Purpose, checked_key};
use crate::ir::Resource;
use crate::paths;
use crate::targets::Targets;

/// Checks `index` of `resource`, and resolves its names and types.
pub(crate) fn checked(
    index: &Index,
    resource: &Resource,
    targets: &Targets<'_>,
    runtime: &syn::Path,
) -> Result<ir::Index, Error> {
    let mut value = index.value.as_deref().map(value).transpose()?;
    let (source, name, word) = match &index.over {
        Over::Path(path, spelling) => {
            let found = fields::find(path, *spelling, resource, targets, Purpose::Index)?;
            if let Some(given) = &index.value {
                found.check_type(given).map_err(|why| {
                    let of = format!("`{}` ({})", resource.gvk, resource.origin);
                    OptionName::Index.refuse(path, format!("of {of} {why}"))
                })?;
            }
            value = value.or(found.value);
            let source = source(found.walk, found.is_json);
            (source, found.name, Some(found.word))
        }
        Over::Label(key) => entry(key, "label", resource, targets)?,
        Over::Annotation(key) => entry(key, "annotation", resource, targets)?,
        Over::Owner(owner) => {
            refuse_settings(index)?;
            match owner {
                None => (
                    Source::Owner(None),
                    "owner".to_owned(),
                    Some("owner_uid".to_owned()),
                ),
                Some(owner) => {
                    let path = targets.find(OptionName::Index, owner, resource)?.path;
                    value = Some(parse_quote!(#runtime::ObjectKey));
                    let name = format!("owner({})", type_text(&path));
                    let owner = Box::new(parse_quote!(#path));
                    (Source::Owner(Some(owner)), name, Some("owner".to_owned()))
                }
            }
        }
        Over::With(function) => {
            let path = paths::absolute(function, OptionName::Index)?;
            (Source::With(path), String::new(), None)
        }
    };
    let accessor = accessor(index, word, &name)?;
    let name = if name.is_empty() {
        accessor.to_string()
    } else {
        name
    };
    Ok(ir::Index {
        accessor,
        name,
        span: Span::call_site(),
        value: value.unwrap_or_else(|| string(Span::call_site())),
        unique: index.unique,
        source,
    })
}

/// Resolves an index of the value of one label or annotation.
fn entry(
    key: &str,
    what: &str,
    resource: &Resource,
    targets: &Targets<'_>,
) -> Result<(Source, String, Option<String>), Error> {
    let key = checked_key(key, what, OptionName::Index)?;
    let path = format!("metadata.{what}s['{key}']");
    let found = fields::find(&path, Spelling::Json, resource, targets, Purpose::Index)?;
    Ok((source(found.walk, found.is_json), found.name, Some(key)))
}

fn source(walk: Walk, is_json: bool) -> Source {
    match walk {
        Walk::Steps(steps) => Source::Walk { steps, is_json },
        Walk::Members(names) => Source::Members(names),
    }
}

/// Returns the name of the method.
fn accessor(index: &Index, word: Option<String>, name: &str) -> Result<Ident, Error> {
    let accessor = match (&index.name, word) {
        (Some(name), _) => given_name(name)?,
        (None, Some(word)) => names::index_accessor(&word, Span::call_site()).ok_or_else(|| {
            let reason = "does not form the name of a method; name the index";
            OptionName::Index.refuse(&word, reason)
        })?,
        (None, None) => {
            let Over::With(function) = &index.over else {
                return Err(OptionName::Index.refuse(name, "has no name"));
            };
            let reason = "is a function, so the index needs a name: \
                          `Index::with(..).named(..)`, `with=..,name=..`";
            return Err(OptionName::Index.refuse(function, reason));
        }
    };
    if names::is_lister_method(&accessor.to_string()) {
        let reason = "is already a method of every lister; give the index another name";
        return Err(OptionName::Index.refuse(accessor.to_string(), reason));
    }
    Ok(accessor)
}

/// Sorts by name in the store, then by method.
pub(crate) fn order(index: &ir::Index) -> (&str, String) {
    (&index.name, index.accessor.to_string())
}

/// Reports whether two declarations describe the same index.
pub(crate) fn is_same(one: &ir::Index, other: &ir::Index) -> bool {
    let value = |index: &ir::Index| index.value.to_token_stream().to_string();
    order(one) == order(other) && value(one) == value(other) && one.unique == other.unique
}

/// Rejects settings that do not apply to an index by owner: an owner may own many objects, and the
/// value is its key or UID.
fn refuse_settings(index: &Index) -> Result<(), Error> {
    let setting = match (&index.value, index.unique) {
        (Some(_), _) => "value",
        (None, true) => "unique",
        (None, false) => return Ok(()),
    };
    let reason = "does not apply to an index by owner: an owner may own many objects, and the index value is \
                  the owner's key or UID";
    Err(OptionName::Index.refuse(setting, reason))
}

fn given_name(name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| OptionName::Index.refuse(name, "is not a Rust identifier"))
}

fn value(text: &str) -> Result<Type, Error> {
    syn::parse_str(text)
        .map_err(|error| OptionName::Index.refuse(text, format!("is not a Rust type: {error}")))
}
