//! Definition of a kind to generate types for, and the names that they refer to.

use crate::gvk::{Gvk, Scope};

/// Definition of one version of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KindDefinition<'a> {
    pub(crate) gvk: &'a Gvk,
    pub(crate) plural: &'a str,
    pub(crate) scope: Scope,
    pub(crate) short_names: &'a [String],
}

/// Names that the types refer to.
#[derive(Clone, Copy)]
pub(crate) struct TypePaths<'a> {
    pub(crate) visibility: &'a syn::Visibility,
    pub(crate) runtime: &'a syn::Path,
    pub(crate) k8s_openapi: &'a syn::Path,
}
