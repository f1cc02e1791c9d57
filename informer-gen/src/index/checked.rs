//! An index with all its names and types.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::path::checked_key;
use super::{Index, Over, path};
use crate::error::{Error, OptionName};
use crate::input::builtin;
use crate::ir::{Gvk, Resource};
use crate::{naming, paths, suggest};

/// What is emitted of an index.
pub(crate) struct Checked {
    /// In the informer's store.
    pub(crate) name: String,
    pub(crate) accessor: Ident,
    pub(crate) source: Source,
    /// The type of the values; `None` for texts and, of owners of one kind, for keys.
    pub(crate) value: Option<Type>,
    pub(crate) argument: Argument,
    pub(crate) unique: bool,
}

/// What an index reads.
pub(crate) enum Source {
    /// `metadata.labels['key']`
    Label(String),
    /// `metadata.annotations['key']`
    Annotation(String),
    /// `spec.nodeName`, by the fields in Rust.
    Path(Vec<Step>),
    Owner,
    OwnerOf(syn::Path),
    With(syn::Path),
}

/// One step of a path, of which the first is a field.
pub(crate) enum Step {
    Field(Ident),
    /// The key of a map.
    Key(String),
}

/// How a method takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Argument {
    /// `&str`
    Text,
    Copy,
    Reference,
}

/// Where the types of owners are looked for.
pub(crate) struct Owners<'a> {
    pub(crate) generated: &'a [Resource],
    /// The path of `k8s-openapi`.
    pub(crate) k8s_openapi: syn::Path,
}

/// Values of these types are taken as they are. The derive has the same list.
const COPY: [&str; 14] = [
    "bool", "char", "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128",
    "isize",
];

// === impl Checked ===

impl Checked {
    /// Checks `index`, which is over `resource`.
    pub(crate) fn new(
        index: &Index,
        resource: &Resource,
        owners: &Owners<'_>,
    ) -> Result<Self, Error> {
        let mut known = None;
        let (source, name, word) = match &index.over {
            Over::Path(path, spelling) => {
                let found = path::find(path, *spelling, resource, owners)?;
                known = found.value;
                (found.source, found.name, Some(found.word))
            }
            Over::Label(key) => {
                let key = checked_key(key, "label")?;
                let name = format!("metadata.labels['{key}']");
                (Source::Label(key.clone()), name, Some(key))
            }
            Over::Annotation(key) => {
                let key = checked_key(key, "annotation")?;
                let name = format!("metadata.annotations['{key}']");
                (Source::Annotation(key.clone()), name, Some(key))
            }
            Over::Owner(owner) => {
                refuse_settings(index)?;
                let (source, name, word) = match owner {
                    None => (Source::Owner, "owner".to_owned(), "owner_uid"),
                    Some(owner) => {
                        let path = owners.find(owner, resource)?;
                        let name = format!("owner({})", last_segment(&path));
                        (Source::OwnerOf(path), name, "owner")
                    }
                };
                (source, name, Some(word.to_owned()))
            }
            Over::With(function) => {
                let path = paths::absolute(function, OptionName::Index)?;
                (Source::With(path), String::new(), None)
            }
        };
        let accessor = match (&index.name, word) {
            (Some(name), _) => given_name(name)?,
            (None, Some(word)) => naming::index_accessor(&word).ok_or_else(|| {
                let reason = "gives no name for a method; name the index";
                OptionName::Index.refuse(&word, reason)
            })?,
            (None, None) => {
                let Over::With(function) = &index.over else {
                    return Err(OptionName::Index.refuse(name, "has no name"));
                };
                let reason = "is a function, so that the index needs a name: \
                              `Index::with(..).named(..)`, `with=..,name=..`";
                return Err(OptionName::Index.refuse(function, reason));
            }
        };
        if naming::is_lister_method(&accessor.to_string()) {
            let reason = "is what every lister has a method of its own for; name the index";
            return Err(OptionName::Index.refuse(accessor.to_string(), reason));
        }
        let value = index.value.as_deref().map(value).transpose()?.or(known);
        let name = if name.is_empty() {
            accessor.to_string()
        } else {
            name
        };
        Ok(Self {
            argument: argument(&source, value.as_ref()),
            name,
            accessor,
            source,
            value,
            unique: index.unique,
        })
    }
}

impl Checked {
    /// By name in the store, then by method.
    pub(crate) fn order(&self) -> (&str, String) {
        (&self.name, self.accessor.to_string())
    }

    /// Whether both were asked for in other words, but alike.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let value = |index: &Self| index.value.to_token_stream().to_string();
        self.order() == other.order() && value(self) == value(other) && self.unique == other.unique
    }
}

/// An owner may own many objects, and is found by its key or UID.
fn refuse_settings(index: &Index) -> Result<(), Error> {
    let setting = match (&index.value, index.unique) {
        (Some(_), _) => "value",
        (None, true) => "unique",
        (None, false) => return Ok(()),
    };
    let reason = "is not for an index by owner: an owner may own many objects, and is found by \
                  its key or UID";
    Err(OptionName::Index.refuse(setting, reason))
}

fn given_name(name: &str) -> Result<Ident, Error> {
    syn::parse_str(name).map_err(|_| OptionName::Index.refuse(name, "is not a Rust identifier"))
}

fn value(text: &str) -> Result<Type, Error> {
    syn::parse_str(text)
        .map_err(|error| OptionName::Index.refuse(text, format!("is not a Rust type: {error}")))
}

fn argument(source: &Source, value: Option<&Type>) -> Argument {
    if matches!(source, Source::OwnerOf(_)) {
        return Argument::Reference;
    }
    let Some(value) = value else {
        return Argument::Text;
    };
    let last = if let Type::Path(path) = value {
        path.path.segments.last().map(|last| last.ident.to_string())
    } else {
        None
    };
    match last.as_deref() {
        Some("String") => Argument::Text,
        Some(name) if COPY.contains(&name) => Argument::Copy,
        Some(_) | None => Argument::Reference,
    }
}

fn last_segment(path: &syn::Path) -> String {
    let last = path.segments.last();
    last.map_or_else(String::new, |last| last.ident.to_string())
}

// === impl Owners ===

impl Owners<'_> {
    /// The Rust type of an owner, by kind or by path, for an index over the kind `over`.
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
                    "has no Rust type of its own; index by `owner`, of whatever kind",
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
            return Ok(found.rust_type.clone());
        }
        let versions = found.gate.versions().unwrap_or_default();
        Err(refuse(&format!(
            "is a kind of Kubernetes {versions} only, and the index would be there without it"
        )))
    }
}
