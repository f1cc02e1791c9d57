//! Entries of `informer-gen list`.

use informer_codegen::names::api;
use proc_macro2::Ident;
use serde::{Serialize, Serializer};

use crate::gvk::{Gvk, Scope};
use crate::ir::{Origin, Skipped};
use crate::plan::{Kind, Plan};

/// Kind in the inputs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedKind {
    /// API group. Empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// Plural, as in URLs. `None` if the plural is unknown.
    pub resource: Option<String>,
    /// Scope of the kind.
    #[serde(serialize_with = "scope_text")]
    pub scope: Option<Scope>,
    /// `built-in`, or a position in a manifest or a source file.
    pub origin: String,
    /// Result for the kind.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Result for a kind: generated or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// The kind is generated.
    Emitted {
        /// Type of the objects.
        rust_type: String,
        /// Accessor of the informer.
        accessor: String,
        /// Kubernetes versions that have the kind. `None` if all versions of `k8s-openapi` do.
        kubernetes: Option<String>,
        /// Cargo feature that the kind needs.
        feature: Option<String>,
        /// Reason why the kind has no type, if types are generated.
        #[serde(skip_serializing_if = "Option::is_none")]
        untyped: Option<String>,
    },
    /// The kind is not generated.
    Skipped {
        /// Reason.
        reason: String,
    },
}

// === impl ListedKind ===

impl ListedKind {
    /// Returns the kind with its group and version, as options spell it: `apps/v1/Deployment`,
    /// `v1/Pod`.
    #[must_use]
    pub fn name(&self) -> String {
        Gvk::new(&self.group, &self.version, &self.kind).to_string()
    }
}

#[expect(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference to the field"
)]
fn scope_text<S: Serializer>(scope: &Option<Scope>, serializer: S) -> Result<S::Ok, S::Error> {
    scope.map(|scope| scope.to_string()).serialize(serializer)
}

/// Returns all kinds of `plan` and of `skipped`, by group, version and kind: the user's own before
/// the built-in kinds.
pub(crate) fn entries(plan: &Plan<'_>, skipped: &[Skipped]) -> Vec<ListedKind> {
    let mut entries: Vec<ListedKind> = Vec::new();
    for group in &plan.groups {
        for version in &group.versions {
            for kind in &version.kinds {
                entries.push(emitted(kind, &group.ident, &version.ident));
            }
        }
    }
    for kind in skipped {
        let outcome = Outcome::Skipped {
            reason: kind.reason.clone(),
        };
        let plural = kind.plural.clone();
        entries.push(entry(&kind.gvk, plural, kind.scope, &kind.origin, outcome));
    }
    entries.sort_by_cached_key(|entry| {
        (
            entry.origin == Origin::BuiltIn.to_string(),
            entry.group.clone(),
            api::version_order(&entry.version),
            entry.kind.clone(),
        )
    });
    entries
}

fn entry(
    gvk: &Gvk,
    plural: Option<String>,
    scope: Option<Scope>,
    origin: &Origin,
    outcome: Outcome,
) -> ListedKind {
    let Gvk {
        group,
        version,
        kind,
    } = gvk.clone();
    ListedKind {
        group,
        version,
        kind,
        resource: plural,
        scope,
        origin: origin.to_string(),
        outcome,
    }
}

/// Returns the entry of a generated kind, in the modules `group` and `version`.
fn emitted(kind: &Kind<'_>, group: &Ident, version: &Ident) -> ListedKind {
    let resource = kind.resource;
    let rust_type = if resource.dynamic {
        "DynamicObject".to_owned()
    } else if resource.manifest.types.is_some() {
        format!("{group}::{version}::{}", kind.rust_type())
    } else {
        kind.rust_type()
    };
    let outcome = Outcome::Emitted {
        rust_type,
        accessor: format!("factory.{group}().{version}().{}()", kind.accessor),
        kubernetes: resource.gate.versions(),
        feature: resource.gate.feature().map(str::to_owned),
        untyped: resource.manifest.untyped.clone(),
    };
    let plural = Some(resource.plural.clone());
    let scope = Some(resource.scope);
    entry(&resource.gvk, plural, scope, &resource.origin, outcome)
}
