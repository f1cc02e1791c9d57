//! Definition of a kind to generate types for, and the names that they refer to.

use super::schema::Schema;
use crate::gvk::Scope;

/// Definition of one version of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) scope: Scope,
    pub(crate) short_names: &'a [String],
    pub(crate) schema: Option<&'a Schema>,
}

/// Names that the types refer to.
#[derive(Clone, Copy)]
pub(crate) struct Names<'a> {
    pub(crate) visibility: &'a syn::Visibility,
    pub(crate) runtime: &'a syn::Path,
    pub(crate) k8s_openapi: &'a syn::Path,
}
