//! Options of a delete, including the propagation policy.

use serde_json::{Value, json};

use crate::api::change::{FOREGROUND, ORPHAN};
use crate::api::query::Query;
use crate::api::write::options::WriteOptions;
use crate::registry::Resource;
use crate::status::{ApiError, Cause};
use crate::store::Stored;

/// The members of `DeleteOptions` that this server uses.
#[derive(Debug, Default)]
pub(crate) struct DeleteOptions {
    uid: Option<String>,
    resource_version: Option<String>,
    pub(super) propagation: Option<Propagation>,
    pub(crate) write: WriteOptions<'static>,
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
        let document: Value = if body.is_empty() {
            Value::Null
        } else {
            serde_json::from_slice(body).map_err(|error| {
                ApiError::bad_request(format!("error decoding delete options: {error}"))
            })?
        };
        check_options(&document)?;
        query.number("gracePeriodSeconds")?;
        let precondition = |field: &str| {
            let value = document.get("preconditions")?.get(field)?;
            value.as_str().map(str::to_owned)
        };
        let all = json!("All");
        let given = document.get("dryRun").and_then(Value::as_array);
        if let Some(unsupported) = given.into_iter().flatten().find(|value| **value != all) {
            let unsupported = unsupported.as_str().unwrap_or_default();
            let cause = Cause::not_supported_list("dryRun", unsupported, "All");
            return Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        }
        let dry_run = given.is_some_and(|given| !given.is_empty());
        let orphan = document
            .get("orphanDependents")
            .and_then(Value::as_bool)
            .or_else(|| query.optional_flag("orphanDependents"));
        let policy = document
            .get("propagationPolicy")
            .and_then(Value::as_str)
            .unwrap_or_else(|| query.get("propagationPolicy"));
        Ok(Self {
            uid: precondition("uid"),
            resource_version: precondition("resourceVersion"),
            propagation: Propagation::parse(policy, orphan)?,
            write: WriteOptions {
                dry_run: write.dry_run || dry_run,
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

/// Rejects a document that is not `DeleteOptions`.
fn check_options(document: &Value) -> Result<(), ApiError> {
    let text = |field: &str| {
        document
            .get(field)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    if !matches!(document, Value::Null | Value::Object(_)) {
        return Err(ApiError::bad_request(
            "couldn't get version/kind; json parse error: json: cannot unmarshal into Go value",
        ));
    }
    if !matches!(text("kind"), "" | "DeleteOptions") {
        return Err(ApiError::bad_request(format!(
            "no kind {:?} is registered for version {:?} in scheme \"pkg/runtime/scheme.go:110\"",
            text("kind"),
            text("apiVersion")
        )));
    }
    match document.get("gracePeriodSeconds") {
        None | Some(Value::Null | Value::Number(_)) => Ok(()),
        Some(_) => Err(ApiError::bad_request(
            "json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds \
             of type int64",
        )),
    }
}

impl Propagation {
    fn parse(policy: &str, orphan: Option<bool>) -> Result<Option<Self>, ApiError> {
        let reject = |cause| Err(ApiError::invalid_options("DeleteOptions", &[cause]));
        match (policy, orphan) {
            ("", None) => Ok(None),
            (given @ ("Background" | "Foreground" | "Orphan"), Some(_)) => reject(Cause::invalid(
                "propagationPolicy",
                given,
                "orphanDependents and deletionPropagation cannot be both set",
            )),
            ("Background", None) | ("", Some(false)) => Ok(Some(Self::Background)),
            ("Foreground", None) => Ok(Some(Self::Foreground)),
            ("Orphan", None) | ("", Some(true)) => Ok(Some(Self::Orphan)),
            (other, _) => {
                let known = ["Foreground", "Background", "Orphan", "nil"];
                reject(Cause::not_supported("propagationPolicy", other, &known))
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
