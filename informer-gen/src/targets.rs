//! Kinds that indices and relations of another kind lead to.

use std::collections::HashMap;

use informer_codegen::check::resolver::RelatedType;
use informer_codegen::declaration::target::NamedType;
use informer_codegen::names;
use proc_macro2::Ident;
use syn::{Type, parse_quote};

use crate::gvk::Gvk;
use crate::input::builtin::{self, Kind};
use crate::ir::Resource;
use crate::{paths, suggest};

/// Kinds that declarations may name, with their types.
pub(crate) struct Targets<'a> {
    pub(crate) generated: &'a [Resource],
    pub(crate) groups: GroupNames,
    /// Path of `k8s-openapi`.
    pub(crate) k8s_openapi: syn::Path,
}

/// Names of the modules and accessors of groups.
pub(crate) struct GroupNames {
    /// Configured names.
    pub(crate) given: HashMap<String, Ident>,
    /// `true` if the other groups are named after all their labels.
    pub(crate) is_full: bool,
}

// === impl GroupNames ===

impl GroupNames {
    /// Returns the name of a group.
    pub(crate) fn of(&self, group: &str) -> Ident {
        match self.given.get(group) {
            Some(given) => given.clone(),
            None if self.is_full => names::full_group(group),
            None => names::group(group),
        }
    }
}

/// Reports whether a type is a single word, which may be the name of a kind.
fn is_word(ty: &Type) -> bool {
    if let Type::Path(ty) = ty {
        return ty.path.get_ident().is_some();
    }
    false
}

fn is_absolute(ty: &Type) -> bool {
    if let Type::Path(ty) = ty {
        return paths::check_absolute(&ty.path).is_ok();
    }
    false
}

// === impl Targets ===

impl Targets<'_> {
    /// Returns the related objects that the kind `over` names, by kind or by type.
    ///
    /// # Errors
    ///
    /// Returns advice if no such kind has a type.
    pub(crate) fn find(&self, target: &NamedType, over: &Resource) -> Result<RelatedType, String> {
        let name = target.text();
        if let NamedType::Type(ty) = target
            && !is_word(ty)
        {
            if !is_absolute(ty) {
                return Err(format!(
                    "`{name}` is neither a kind, such as `Deployment` or `apps/v1/Deployment`, nor \
                     the absolute path of a Rust type, such as `crate::api::{}`",
                    target.kind()
                ));
            }
            return Ok(RelatedType {
                ty: (**ty).clone(),
                scope: None,
            });
        }
        let generated = self.generated.iter().map(Resource::names);
        let known = generated.chain(builtin::watchable().map(Kind::names));
        let gvk = suggest::find(&name, known, "is neither generated nor built in")
            .map_err(|reason| format!("`{name}` {reason}"))?;
        let found = match self.generated.iter().find(|other| other.gvk == gvk) {
            Some(other) if other.dynamic => {
                return Err(format!(
                    "`{name}` has no Rust type, which a related kind needs; `index(owner)` covers \
                     owners of any kind"
                ));
            }
            Some(other) => other,
            None => &builtin::find(&gvk, &self.k8s_openapi)
                .ok_or_else(|| format!("`{gvk}` cannot be watched"))?,
        };
        if !found.gate.has_versions_of(&over.gate) {
            let versions = found.gate.versions().unwrap_or_default();
            return Err(format!(
                "`{gvk}` exists in Kubernetes {versions} only, but `{}` exists in other versions \
                 too",
                over.gvk
            ));
        }
        let path = self.path(found, &over.gvk);
        Ok(RelatedType {
            ty: parse_quote!(#path),
            scope: Some(found.scope),
        })
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
        let version_module = names::version(&gvk.version);
        if gvk.group != over.group {
            let group_module = self.groups.of(&gvk.group);
            return parse_quote!(super::super::#group_module::#version_module::#rust_type);
        }
        if gvk.version != over.version {
            return parse_quote!(super::#version_module::#rust_type);
        }
        rust_type.clone()
    }
}
