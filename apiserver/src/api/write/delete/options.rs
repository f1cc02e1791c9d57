//! Options of a delete, including the propagation policy.

use serde::Deserialize;

use crate::api::change::{FOREGROUND, ORPHAN};
use crate::api::query::Query;
use crate::api::write::options::WriteOptions;
use crate::registry::Resource;
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;

/// The members of `DeleteOptions` that this server uses.
#[derive(Debug, Default)]
pub(crate) struct DeleteOptions {
    uid: Option<String>,
    resource_version: Option<String>,
    pub(super) propagation: Option<Propagation>,
    pub(crate) write: WriteOptions<'static>,
}

/// Body of a delete.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Given {
    kind: Option<String>,
    #[serde(rename = "gracePeriodSeconds")]
    _grace_period_seconds: Option<i64>,
    dry_run: Option<Vec<String>>,
    orphan_dependents: Option<bool>,
    preconditions: Option<Preconditions>,
    propagation_policy: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Preconditions {
    uid: Option<String>,
    resource_version: Option<String>,
}

/// Policy for the dependents of a deleted object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Propagation {
    /// Dependents are deleted after the object.
    Background,
    /// Dependents are deleted first; the object waits for those that block it.
    Foreground,
    /// Dependents stay, and their references to the object are removed.
    Orphan,
}

// === impl DeleteOptions ===

impl DeleteOptions {
    /// Parses the body of a delete, which may be empty, and the corresponding parameters of the
    /// query.
    pub(crate) fn parse(
        body: &[u8],
        query: &Query,
        write: WriteOptions<'static>,
    ) -> Result<Self, ApiError> {
        let malformed = |error: &dyn std::fmt::Display| {
            ApiError::bad_request(format!("error decoding delete options: {error}"))
        };
        let given = match body {
            [] => Given::default(),
            body => serde_json::from_slice::<Option<Given>>(body)
                .map_err(|error| malformed(&error))?
                .unwrap_or_default(),
        };
        if !matches!(given.kind.as_deref(), None | Some("" | "DeleteOptions")) {
            return Err(malformed(&"the kind is not DeleteOptions"));
        }
        query.number("gracePeriodSeconds")?;
        let dry_run = given.dry_run.unwrap_or_default();
        if let Some(unsupported) = dry_run.iter().find(|value| *value != "All") {
            let cause = FieldCause::not_supported_list("dryRun", unsupported, "All");
            return Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        }
        let orphan = given
            .orphan_dependents
            .or_else(|| query.optional_flag("orphanDependents"));
        let policy = given
            .propagation_policy
            .as_deref()
            .unwrap_or_else(|| query.get("propagationPolicy"));
        let preconditions = given.preconditions.unwrap_or_default();
        Ok(Self {
            uid: preconditions.uid,
            resource_version: preconditions.resource_version,
            propagation: Propagation::parse(policy, orphan)?,
            write: WriteOptions {
                dry_run: write.dry_run || !dry_run.is_empty(),
                ..write
            },
        })
    }

    pub(crate) fn check(&self, resource: &Resource, object: &Stored) -> Result<(), ApiError> {
        let known = object.uid();
        if let Some(uid) = self.uid.as_deref()
            && uid != known
        {
            let message = format!(
                "the UID in the precondition ({uid}) does not match the UID in record ({known}). \
                 The object might have been deleted and then recreated"
            );
            return Err(ApiError::precondition(resource, &object.name, &message));
        }
        if let Some(version) = self.resource_version.as_deref()
            && version != object.revision.to_string()
        {
            let message = format!(
                "the ResourceVersion in the precondition ({version}) does not \
                 match the ResourceVersion in record ({}). The object might have been modified",
                object.revision
            );
            return Err(ApiError::precondition(resource, &object.name, &message));
        }
        Ok(())
    }
}

impl Propagation {
    fn parse(policy: &str, orphan: Option<bool>) -> Result<Option<Self>, ApiError> {
        let reject = |cause| Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        match (policy, orphan) {
            ("", None) => Ok(None),
            (given @ ("Background" | "Foreground" | "Orphan"), Some(_)) => {
                reject(FieldCause::invalid(
                    "propagationPolicy",
                    given,
                    "orphanDependents and deletionPropagation cannot be both set",
                ))
            }
            ("Background", None) | ("", Some(false)) => Ok(Some(Self::Background)),
            ("Foreground", None) => Ok(Some(Self::Foreground)),
            ("Orphan", None) | ("", Some(true)) => Ok(Some(Self::Orphan)),
            (other, _) => {
                let known = ["Foreground", "Background", "Orphan", "nil"];
                reject(FieldCause::not_supported(
                    "propagationPolicy",
                    other,
                    &known,
                ))
            }
        }
    }

    /// Returns the default policy of a kind. The real server keeps the policy that two kinds had
    /// before the garbage collector existed.
    pub(super) fn default_of(resource: &Resource) -> Option<Self> {
        let orphans = resource.is("batch", "jobs") || resource.is("", "replicationcontrollers");
        orphans.then_some(Self::Orphan)
    }

    /// Returns the finalizers of `object`, with the finalizer that this policy needs.
    pub(super) fn finalizers(self, object: &Stored) -> Vec<String> {
        let others = object
            .finalizers()
            .filter(|f| !matches!(*f, ORPHAN | FOREGROUND));
        let own = match self {
            Self::Background => None,
            Self::Foreground => Some(FOREGROUND),
            Self::Orphan => Some(ORPHAN),
        };
        others.chain(own).map(str::to_owned).collect()
    }
}
