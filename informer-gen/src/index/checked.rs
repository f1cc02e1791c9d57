//! Checks an index and resolves its names and types.

use std::collections::HashMap;

use informer_codegen::emit::{string, type_text};
use informer_codegen::ir::{self, Source};
use informer_codegen::names;
use informer_codegen::path::Spelling;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::{Type, parse_quote};

use super::path::checked_key;
use super::{Index, Over, path};
use crate::error::{Error, OptionName};
use crate::input::builtin;
use crate::ir::{Gvk, Resource};
use crate::{paths, suggest};

/// Sources of the types of owners.
pub(crate) struct Owners<'a> {
    pub(crate) generated: &'a [Resource],
    /// Configured names of groups.
    pub(crate) groups: HashMap<String, Ident>,
    /// Path of `k8s-openapi`.
    pub(crate) k8s_openapi: syn::Path,
}

/// Checks `index` of `resource`, and resolves its names and types.
pub(crate) fn checked(
    index: &Index,
    resource: &Resource,
    owners: &Owners<'_>,
    runtime: &syn::Path,
) -> Result<ir::Index, Error> {
    let mut value = index.value.as_deref().map(value).transpose()?;
    let (source, name, word) = match &index.over {
        Over::Path(path, spelling) => {
            let found = path::find(path, *spelling, resource, owners)?;
            if let (Some(leaf), Some(given)) = (found.leaf, &index.value) {
                leaf.check_type(given).map_err(|why| {
                    let of = format!("`{}` ({})", resource.gvk, resource.origin);
                    OptionName::Index.refuse(path, format!("of {of} {why}"))
                })?;
            }
            value = value.or(found.value);
            (found.source, found.name, Some(found.word))
        }
        Over::Label(key) => entry(key, "label", resource, owners)?,
        Over::Annotation(key) => entry(key, "annotation", resource, owners)?,
        Over::Owner(owner) => {
            refuse_settings(index)?;
            match owner {
                None => (
                    Source::Owner(None),
                    "owner".to_owned(),
                    Some("owner_uid".to_owned()),
                ),
                Some(owner) => {
                    let path = owners.find(owner, resource)?;
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
    owners: &Owners<'_>,
) -> Result<(Source, String, Option<String>), Error> {
    let key = checked_key(key, what)?;
    let path = format!("metadata.{what}s['{key}']");
    let found = path::find(&path, Spelling::Json, resource, owners)?;
    Ok((found.source, found.name, Some(key)))
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

// === impl Owners ===

impl Owners<'_> {
    /// Returns the path of the type of a kind, from the module of the version of `over`.
    fn path(&self, kind: &Resource, over: &Gvk) -> syn::Path {
        let Resource { gvk, rust_type, .. } = kind;
        if kind.manifest.types.is_none() {
            return rust_type.clone();
        }
        let version = names::version(&gvk.version);
        if gvk.group == over.group {
            return if gvk.version == over.version {
                rust_type.clone()
            } else {
                parse_quote!(super::#version::#rust_type)
            };
        }
        let given = self.groups.get(&gvk.group).cloned();
        let group = given.unwrap_or_else(|| names::group(&gvk.group));
        parse_quote!(super::super::#group::#version::#rust_type)
    }

    /// Returns the Rust type of an owner, given by kind or by path, for an index of the kind
    /// `over`.
    fn find(&self, owner: &str, over: &Resource) -> Result<syn::Path, Error> {
        let refuse = |reason: &str| OptionName::Index.refuse(owner, reason);
        if owner.contains("::") {
            return paths::absolute(owner, OptionName::Index);
        }
        let gvk = Gvk::parse(owner).ok_or_else(|| {
            refuse("is neither a kind such as `apps/v1/Deployment` nor a path of a Rust type")
        })?;
        let generated = self.generated.iter().find(|other| other.gvk == gvk);
        let built_in = builtin::find(&gvk, &self.k8s_openapi, None);
        let found = match generated {
            Some(other) if other.dynamic => {
                return Err(refuse(
                    "has no Rust type; use `owner`, which covers owners of any kind",
                ));
            }
            Some(other) => other,
            None => built_in.as_ref().ok_or_else(|| {
                let known = self.generated.iter().map(|other| &other.gvk);
                Error::NotSelected {
                    option: OptionName::Index,
                    suggestion: suggest::kind(&gvk, known),
                    gvk: gvk.clone(),
                }
            })?,
        };
        if found.gate.has_versions_of(&over.gate) {
            return Ok(self.path(found, &over.gvk));
        }
        let versions = found.gate.versions().unwrap_or_default();
        Err(refuse(&format!(
            "exists in Kubernetes {versions} only, but the indexed kind exists in other versions too"
        )))
    }
}
