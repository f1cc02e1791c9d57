//! What `informer-gen list` shows.

use serde::Serialize;

use crate::error::Suggestion;
use crate::ir::{Gvk, Origin, Scope, Skipped};
use crate::plan::{Kind, Plan};
use crate::suggest;

/// A kind that the inputs know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// API group; empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Kind.
    pub kind: String,
    /// The plural, as in URLs; `None` if the kind has none of its own.
    pub resource: Option<String>,
    /// Whether its objects live in namespaces.
    pub scope: Option<Scope>,
    /// `built-in`, or a place in a manifest or a source file.
    pub origin: String,
    /// What becomes of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// Whether a kind is generated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// It is.
    Emitted {
        /// The type of its objects.
        rust_type: String,
        /// How to reach its informer.
        accessor: String,
        /// The versions of Kubernetes that have it, if not all that `k8s-openapi` knows.
        kubernetes: Option<String>,
        /// The Cargo feature that it needs.
        feature: Option<String>,
        /// Why it has no type, where types are written.
        #[serde(skip_serializing_if = "Option::is_none")]
        untyped: Option<String>,
    },
    /// It is not.
    Skipped {
        /// Why not.
        reason: String,
    },
}

// === impl Entry ===

impl Entry {
    /// The kind with its group and version, as options have it: `apps/v1/Deployment`, `v1/Pod`.
    #[must_use]
    pub fn name(&self) -> String {
        self.gvk().to_string()
    }

    /// The one of `entries` with this [name](Self::name).
    ///
    /// # Errors
    ///
    /// If there is none: which one was probably meant.
    pub fn find<'a>(entries: &'a [Self], name: &str) -> Result<&'a Self, Suggestion> {
        let wanted = Gvk::parse(name);
        let found = entries.iter().find(|entry| wanted == Some(entry.gvk()));
        found.ok_or_else(|| {
            let known = entries.iter();
            let known = known.map(|entry| (entry.gvk(), entry.resource.as_deref()));
            suggest::kind_or_plural(name, known)
        })
    }

    fn gvk(&self) -> Gvk {
        Gvk::new(&self.group, &self.version, &self.kind)
    }
}

/// All kinds of `plan` and all that were `skipped`, by group, version and kind.
pub(crate) fn entries(plan: &Plan<'_>, skipped: &[Skipped]) -> Vec<Entry> {
    let emitted = plan.groups.iter().flat_map(|group| {
        let versions = group.versions.iter();
        versions.flat_map(move |version| {
            let path = format!("factory.{}().{}()", group.ident, version.ident);
            let module = format!("{}::{}", group.ident, version.ident);
            let kinds = version.kinds.iter();
            kinds.map(move |kind| emitted(kind, &path, &module))
        })
    });
    let mut entries: Vec<Entry> = emitted.chain(skipped.iter().map(refused)).collect();
    entries.sort_by_cached_key(|entry| {
        let version = crate::naming::version_order(&entry.version);
        (entry.group.clone(), version, entry.kind.clone())
    });
    entries
}

fn emitted(kind: &Kind<'_>, path: &str, module: &str) -> Entry {
    let resource = kind.resource;
    let outcome = Outcome::Emitted {
        rust_type: if resource.dynamic {
            "DynamicObject".to_owned()
        } else if resource.manifest.types.is_some() {
            format!("{module}::{}", kind.rust_type())
        } else {
            kind.rust_type()
        },
        accessor: format!("{path}.{}()", kind.accessor),
        kubernetes: resource.gate.versions(),
        feature: resource.gate.feature().map(str::to_owned),
        untyped: resource.manifest.untyped.clone(),
    };
    entry(
        &resource.gvk,
        Some(resource.plural.clone()),
        Some(resource.scope),
        &resource.origin,
        outcome,
    )
}

fn refused(skipped: &Skipped) -> Entry {
    let outcome = Outcome::Skipped {
        reason: skipped.reason.clone(),
    };
    entry(
        &skipped.gvk,
        skipped.plural.clone(),
        skipped.scope,
        &skipped.origin,
        outcome,
    )
}

fn entry(
    gvk: &Gvk,
    resource: Option<String>,
    scope: Option<Scope>,
    origin: &Origin,
    outcome: Outcome,
) -> Entry {
    Entry {
        group: gvk.group.clone(),
        version: gvk.version.clone(),
        kind: gvk.kind.clone(),
        resource,
        scope,
        origin: origin.to_string(),
        outcome,
    }
}
