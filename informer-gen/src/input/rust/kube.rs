//! Reads the attributes of kube-derive 5 with its defaults.

use std::collections::BTreeMap;
use std::path::Path;

use informer_codegen::names;
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Lit, Meta, Token};

use super::declared::Declared;
use super::parse::literal;
use crate::error::{Error, Location};
use crate::gvk::{Gvk, Scope};
use crate::input::loaded::Sources;
use crate::ir::{Gate, Manifest, Origin, Resource, Skipped};
use informer_codegen::names::api;

/// Type that derives `CustomResource`.
pub(super) struct Candidate {
    gvk: Gvk,
    plural: String,
    scope: Scope,
    rust_type: syn::Path,
    served: bool,
    deprecated: Option<String>,
    /// `true` if the type has `#[derive(Informer)]` too.
    derived: bool,
    at: Location,
}

/// Keys of all `#[kube(..)]` attributes.
struct Keys {
    /// Values with their positions.
    values: BTreeMap<String, (Value, Location)>,
    /// `true` if `derive = "Informer"` is among the attributes.
    derives_informer: bool,
}

enum Value {
    /// Key without a value, such as `namespaced`.
    Flag,
    Text(String),
    Bool(bool),
    Other,
}

// === impl Candidate ===

impl Candidate {
    /// Reads the attributes. Returns `None` if they are not those of a custom resource.
    pub(super) fn new(metas: &[Meta], declared: &Declared<'_>) -> Result<Option<Self>, Error> {
        if !derives(metas, "CustomResource") {
            return Ok(None);
        }
        let Declared { path, module, .. } = *declared;
        let at = declared.at.clone();
        let keys = Keys::new(metas, path)?;
        let (group, group_at) = keys.required("group", &at)?;
        let (version, version_at) = keys.required("version", &at)?;
        let (kind, kind_at) = keys.required("kind", &at)?;
        for (key, value, place, valid, rule) in [
            ("group", &group, group_at, api::is_group(&group), api::GROUP),
            (
                "version",
                &version,
                version_at,
                api::is_label(&version),
                api::LABEL,
            ),
            (
                "kind",
                &kind,
                kind_at.clone(),
                api::is_kind(&kind),
                api::KIND,
            ),
        ] {
            if !valid {
                return Err(field(place, key, api::found(rule, value)));
            }
        }
        let plural = match keys.text("plural")? {
            Some(plural) => plural,
            None => inferred_plural(keys.text("singular")?.as_deref(), &kind).ok_or_else(|| {
                let problem =
                    "is missing, and kube-derive cannot derive it from a kind of one letter";
                field(at.clone(), "plural", problem.to_owned())
            })?,
        };
        let root = keys.text("root")?.unwrap_or_else(|| kind.clone());
        if !names::is_type_name(&root) {
            let problem = format!("`{root}` cannot be the name of a Rust type; set `root`");
            return Err(field(kind_at, "kind", problem));
        }
        let served = keys.flag("served", true)?;
        let derived = derives(metas, "Informer") || keys.derives_informer;
        if served && !derived {
            declared.check(&root)?;
        }
        let mut rust_type = module.clone();
        rust_type
            .segments
            .push(names::identifier(&root, Span::call_site()).into());
        Ok(Some(Self {
            gvk: Gvk::new(&group, &version, &kind),
            plural,
            scope: Scope::new(keys.flag("namespaced", false)?),
            rust_type,
            served,
            deprecated: keys.deprecated(),
            derived,
            at,
        }))
    }

    pub(super) fn add_to(self, sources: &mut Sources) {
        let origin = Origin::Source(self.at);
        let reason = match (self.served, self.derived) {
            (false, _) => "not served",
            (_, true) => "has `#[derive(Informer)]`",
            (true, false) => {
                sources.resources.push(Resource {
                    gvk: self.gvk,
                    plural: self.plural,
                    scope: self.scope,
                    rust_type: self.rust_type,
                    dynamic: false,
                    gate: Gate::open(),
                    deprecated: self.deprecated,
                    origin,
                    manifest: Manifest::default(),
                    schema: None,
                });
                return;
            }
        };
        sources.skipped.push(Skipped {
            gvk: self.gvk,
            plural: Some(self.plural),
            scope: Some(self.scope),
            origin,
            reason: reason.to_owned(),
        });
    }
}

/// Reports whether a derive of this name is among the attributes, under any path.
pub(super) fn derives(metas: &[Meta], name: &str) -> bool {
    metas
        .iter()
        .filter(|meta| meta.path().is_ident("derive"))
        .filter_map(|meta| meta.require_list().ok())
        .filter_map(|list| {
            list.parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
                .ok()
        })
        .flatten()
        .any(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

/// Returns the plural that kube-derive infers for a kind without one, or `None` if kube-derive
/// panics.
fn inferred_plural(singular: Option<&str>, kind: &str) -> Option<String> {
    let word = singular.map_or_else(|| kind.to_ascii_lowercase(), str::to_owned);
    (word != "y").then(|| names::kube_plural(&word))
}

// === impl Keys ===

impl Keys {
    fn new(metas: &[Meta], path: &Path) -> Result<Self, Error> {
        let refused = |error: &syn::Error| Error::Source {
            at: Location::of(path, error.span()),
            problem: format!("`#[kube(..)]`: {error}"),
        };
        let mut values = BTreeMap::new();
        let mut derives_informer = false;
        for meta in metas.iter().filter(|meta| meta.path().is_ident("kube")) {
            let list = meta.require_list().map_err(|error| refused(&error))?;
            let parts = list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .map_err(|error| refused(&error))?;
            for part in parts {
                let Some(key) = part.path().get_ident().map(ToString::to_string) else {
                    continue;
                };
                let at = Location::of(path, part.span());
                let value = Value::new(&part);
                if let ("derive", Value::Text(derive)) = (&*key, &value) {
                    derives_informer |= derive.rsplit("::").next() == Some("Informer");
                }
                let before = values.insert(key.clone(), (value, at.clone()));
                if before.is_some() && SINGLE.contains(&&*key) {
                    return Err(field(at, &key, "is given twice".to_owned()));
                }
            }
        }
        Ok(Self {
            values,
            derives_informer,
        })
    }

    fn required(&self, key: &str, at: &Location) -> Result<(String, Location), Error> {
        match (self.text(key)?, self.values.get(key)) {
            (Some(text), Some((_, at))) => Ok((text, at.clone())),
            _ => Err(field(at.clone(), key, "is missing".to_owned())),
        }
    }

    fn text(&self, key: &str) -> Result<Option<String>, Error> {
        match self.values.get(key) {
            None => Ok(None),
            Some((Value::Text(text), _)) => Ok(Some(text.clone())),
            Some((Value::Flag | Value::Bool(_) | Value::Other, at)) => {
                let problem = "must be a string literal".to_owned();
                Err(field(at.clone(), key, problem))
            }
        }
    }

    /// Returns the value of a boolean key: alone, or with a value.
    fn flag(&self, key: &str, default: bool) -> Result<bool, Error> {
        match self.values.get(key) {
            None => Ok(default),
            Some((Value::Flag, _)) => Ok(true),
            Some((Value::Bool(value), _)) => Ok(*value),
            Some((Value::Text(text), _)) if text == "true" => Ok(true),
            Some((Value::Text(text), _)) if text == "false" => Ok(false),
            Some((Value::Text(_) | Value::Other, at)) => {
                let problem = "must be `true` or `false`".to_owned();
                Err(field(at.clone(), key, problem))
            }
        }
    }

    fn deprecated(&self) -> Option<String> {
        match &self.values.get("deprecated")?.0 {
            Value::Text(warning) => Some(warning.clone()),
            Value::Bool(false) => None,
            Value::Flag | Value::Bool(true) | Value::Other => Some(String::new()),
        }
    }
}

/// Keys that are read here, and that may be set once.
const SINGLE: &[&str] = &[
    "group",
    "version",
    "kind",
    "root",
    "plural",
    "singular",
    "namespaced",
    "served",
    "deprecated",
];

impl Value {
    fn new(meta: &Meta) -> Self {
        match meta {
            Meta::Path(_) => Self::Flag,
            Meta::NameValue(pair) => match literal(&pair.value) {
                Some(Lit::Str(text)) => Self::Text(text.value()),
                Some(Lit::Bool(value)) => Self::Bool(value.value),
                Some(_) | None => Self::Other,
            },
            Meta::List(_) => Self::Other,
        }
    }
}

fn field(at: Location, key: &str, problem: String) -> Error {
    Error::Field {
        at,
        field: format!("`{key}` of `#[kube(..)]`"),
        problem,
    }
}

#[cfg(test)]
mod tests;
