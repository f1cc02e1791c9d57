//! Relations of the built-in kinds, as declarations in the language of all kinds.
//!
//! `relations.txt` has the fields by which the API defines a relation between stable kinds. The fields
//! exist in all versions of `k8s-openapi` that have the kind. The tests check them against the
//! sources of that crate.
//!
//! Some relations follow from a convention of Kubernetes:
//!
//! - the controller of ephemeral volumes makes the Pod the owner of their claims;
//! - a `CSINode` has the name of its Node;
//! - the driver of a volume and the provisioner of a class have the name of their `CSIDriver`;
//! - a label of an `EndpointSlice` names its Service, even if the slice has no owner.
//!
//! The declarations omit:
//!
//! - kinds in alpha and beta versions;
//! - targets that a supported version of Kubernetes lacks: `ResourceClaim` and its template,
//!   `VolumeAttributesClass`, `ClusterTrustBundle`;
//! - claims of ephemeral volumes, whose names are made of two names. Their Pod owns them;
//! - selectors of namespaces, and of Pods in other namespaces;
//! - references whose kind is not a field, such as those by resource (`IPAddress`).

use informer_codegen::names;
use proc_macro2::Span;

use super::table::blocks;
use crate::gvk::Gvk;

/// Declarations of the kinds, apart from those of their Pods.
const KINDS: &str = include_str!("relations.txt");

/// Names in a `PodSpec`: blocks of their kind, and the paths from there.
const POD_SPEC: &str = include_str!("pod_spec.txt");

/// Kinds with the path to their `PodSpec`.
const PODS: &str = include_str!("pods.txt");

/// Returns the declaration of the relations of a built-in kind.
pub(crate) fn declaration(gvk: &Gvk) -> String {
    let name = gvk.to_string();
    let mut declarations: Vec<String> = Vec::new();
    for (kind, relations) in blocks(KINDS) {
        if kind == name {
            declarations.extend(relations.lines().map(str::to_owned));
        }
    }
    if let Some(at) = pod_spec_of(gvk) {
        for (target, _) in pod_spec() {
            let accessor = names::related(&target.kind, Span::call_site());
            declarations.push(format!("references({target} = \"{at}['{accessor}']\")"));
        }
    }
    declarations.join(", ")
}

/// Returns the path to the `PodSpec` of a kind.
pub(crate) fn pod_spec_of(gvk: &Gvk) -> Option<&'static str> {
    let name = gvk.to_string();
    let (_, at) = pods().find(|(kind, _)| *kind == name)?;
    Some(at)
}

/// Returns the kinds with a `PodSpec`, each with the path to it.
fn pods() -> impl Iterator<Item = (&'static str, &'static str)> {
    PODS.lines().filter_map(|row| row.split_once(' '))
}

/// Returns the kinds of which a `PodSpec` has names, each with the paths to them.
pub(crate) fn pod_spec() -> impl Iterator<Item = (Gvk, Vec<&'static str>)> {
    blocks(POD_SPEC).filter_map(|(target, paths)| {
        let kind = Gvk::parse(target)?;
        Some((kind, paths.lines().collect()))
    })
}

#[cfg(test)]
mod tests;
