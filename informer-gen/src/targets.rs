//! Kinds that indices and relations of another kind lead to.

use std::collections::HashMap;

use informer_codegen::check::resolver::RelatedType;
use informer_codegen::declaration::target::NamedType;
use informer_codegen::names;
use proc_macro2::Ident;
use syn::{Type, TypePath, parse_quote};

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
            && !matches!(&**ty, Type::Path(path) if path.path.get_ident().is_some())
        {
            let is_absolute = |path: &TypePath| paths::check_absolute(&path.path).is_ok();
            if !matches!(&**ty, Type::Path(path) if is_absolute(path)) {
                let kind = target.kind();
                return Err(format!(
                    "`{name}` is neither a kind, such as `Deployment` or `apps/v1/Deployment`, nor \
                     the absolute path of a Rust type, such as `crate::api::{kind}`"
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
        let generated = self.generated.iter().find(|other| other.gvk == gvk);
        let built_in = builtin::find(&gvk, &self.k8s_openapi, None);
        let found = match generated {
            Some(other) if other.dynamic => {
                return Err(format!(
                    "`{name}` has no Rust type, which a related kind needs; `index(owner)` covers \
                     owners of any kind"
                ));
            }
            Some(other) => other,
            None => built_in
                .as_ref()
                .ok_or_else(|| format!("`{gvk}` cannot be watched"))?,
        };
        if found.gate.has_versions_of(&over.gate) {
            let path = self.path(found, &over.gvk);
            return Ok(RelatedType {
                ty: parse_quote!(#path),
                scope: Some(found.scope),
            });
        }
        let versions = found.gate.versions().unwrap_or_default();
        Err(format!(
            "`{gvk}` exists in Kubernetes {versions} only, but `{}` exists in other versions too",
            over.gvk
        ))
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
        let group = self.groups.of(&gvk.group);
        parse_quote!(super::super::#group::#version::#rust_type)
    }
}
