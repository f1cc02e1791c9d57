//! Kinds that indices and relations of another kind lead to.

use std::collections::HashMap;

use informer_codegen::names;
use proc_macro2::Ident;
use syn::parse_quote;

use crate::error::{Error, OptionName};
use crate::input::builtin;
use crate::ir::{Gvk, Resource, Scope};
use crate::{paths, suggest};

/// Kinds that options may name, with their types.
pub(crate) struct Targets<'a> {
    pub(crate) generated: &'a [Resource],
    /// Configured names of groups.
    pub(crate) groups: HashMap<String, Ident>,
    /// Path of `k8s-openapi`.
    pub(crate) k8s_openapi: syn::Path,
}

/// Type of related objects.
pub(crate) struct Target {
    pub(crate) path: syn::Path,
    /// Scope of the objects. `None` for a type that only rustc can see.
    pub(crate) scope: Option<Scope>,
}

// === impl Targets ===

impl Targets<'_> {
    /// Returns the target that `option` of the kind `over` names, by kind or by the path of a type.
    pub(crate) fn find(
        &self,
        option: OptionName,
        name: &str,
        over: &Resource,
    ) -> Result<Target, Error> {
        let refuse = |reason: &str| option.refuse(name, reason);
        if name.contains("::") {
            let path = paths::absolute(name, option)?;
            return Ok(Target { path, scope: None });
        }
        let gvk = Gvk::parse(name).ok_or_else(|| {
            refuse("is neither a kind such as `apps/v1/Deployment` nor a path of a Rust type")
        })?;
        let generated = self.generated.iter().find(|other| other.gvk == gvk);
        let built_in = builtin::find(&gvk, &self.k8s_openapi, None);
        let found = match generated {
            Some(other) if other.dynamic => return Err(refuse(untyped(option))),
            Some(other) => other,
            None => built_in.as_ref().ok_or_else(|| {
                let known = self.generated.iter().map(|other| other.gvk.clone());
                let known: Vec<Gvk> = known
                    .chain(builtin::watchable().map(|kind| kind.gvk()))
                    .collect();
                Error::NotSelected {
                    option,
                    suggestion: suggest::kind(&gvk, &known),
                    gvk: gvk.clone(),
                }
            })?,
        };
        if found.gate.has_versions_of(&over.gate) {
            return Ok(Target {
                path: self.path(found, &over.gvk),
                scope: Some(found.scope),
            });
        }
        let versions = found.gate.versions().unwrap_or_default();
        Err(refuse(&format!(
            "exists in Kubernetes {versions} only, but `{}` exists in other versions too",
            over.gvk
        )))
    }

    /// Reports whether the objects of a kind have a type of `k8s-openapi`.
    pub(crate) fn is_built_in(&self, kind: &Resource) -> bool {
        !kind.dynamic && paths::is_below(&kind.rust_type, &self.k8s_openapi)
    }

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
}

fn untyped(option: OptionName) -> &'static str {
    if option == OptionName::Index {
        "has no Rust type; use `owner`, which covers owners of any kind"
    } else {
        "has no Rust type, which the target of a relation needs"
    }
}
