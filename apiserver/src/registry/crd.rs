//! Decoding and validation of `CustomResourceDefinitions`.
//!
//! [`crate::registry::schema`] validates the objects of the defined kinds.

use serde::Deserialize;
use serde_json::{Value, json};

use super::resource::{PrinterColumn, Resource, Version};
use super::rules::{Generation, KeptByStatus, Rules};
use crate::document::{Members, set};
use crate::registry::builtin::Offers;
use crate::registry::scale::ScalePaths;
use crate::registry::schema::{self, Schema};
use crate::status::{ApiError, FieldCause};
use crate::store::ResourceId;

pub(crate) const GROUP: &str = "apiextensions.k8s.io";
pub(crate) const PLURAL: &str = "customresourcedefinitions";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Spec {
    pub(crate) group: String,
    pub(crate) names: DefinitionNames,
    scope: String,
    versions: Vec<VersionSpec>,
    #[serde(default)]
    preserve_unknown_fields: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DefinitionNames {
    pub(crate) plural: String,
    kind: String,
    singular: Option<String>,
    list_kind: Option<String>,
    #[serde(default)]
    short_names: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct VersionSpec {
    name: String,
    served: bool,
    storage: bool,
    #[serde(default)]
    deprecated: bool,
    deprecation_warning: Option<String>,
    subresources: Option<Subresources>,
    #[serde(default)]
    additional_printer_columns: Vec<PrinterColumn>,
    schema: Option<VersionSchema>,
    #[serde(default)]
    selectable_fields: Vec<SelectableField>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SelectableField {
    json_path: String,
}

#[derive(Debug, Deserialize)]
struct VersionSchema {
    #[serde(rename = "openAPIV3Schema")]
    root: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Subresources {
    status: Option<Value>,
    scale: Option<Scale>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are those of the API")]
struct Scale {
    spec_replicas_path: String,
    status_replicas_path: String,
    label_selector_path: Option<String>,
}

/// Rejects definitions that cannot be served. A definition that a test creates directly needs no
/// approval.
pub(crate) fn validate(resource: &Resource, name: &str, members: &Members) -> Result<(), ApiError> {
    let invalid = |cause: FieldCause| ApiError::invalid(resource, name, &[cause]);
    let spec =
        parse(members).map_err(|reason| invalid(FieldCause::invalid("spec", "", &reason)))?;
    let expected = format!("{}.{}", spec.names.plural, spec.group);
    if name != expected {
        let detail = "must be spec.names.plural+\".\"+spec.group";
        return Err(invalid(FieldCause::invalid("metadata.name", name, detail)));
    }
    if !spec.group.contains('.') {
        let detail = "should be a domain with at least one dot";
        return Err(invalid(FieldCause::invalid(
            "spec.group",
            &spec.group,
            detail,
        )));
    }
    if spec.names.kind.is_empty() {
        return Err(invalid(FieldCause::required("spec.names.kind", "")));
    }
    if spec.list_kind() == spec.names.kind {
        let detail = "kind and listKind may not be the same";
        return Err(invalid(FieldCause::invalid(
            "spec.names.listKind",
            &spec.list_kind(),
            detail,
        )));
    }
    if !matches!(spec.scope.as_str(), "Namespaced" | "Cluster") {
        let scopes = ["Cluster", "Namespaced"];
        return Err(invalid(FieldCause::not_supported(
            "spec.scope",
            &spec.scope,
            &scopes,
        )));
    }
    let stored = spec
        .versions
        .iter()
        .filter(|version| version.storage)
        .count();
    if stored != 1 {
        let detail = "must have exactly one version marked as storage version";
        return Err(invalid(FieldCause::invalid("spec.versions", "", detail)));
    }
    match spec.bad_pattern() {
        Some(cause) => Err(invalid(cause)),
        None => Ok(()),
    }
}

/// Decodes the spec of a definition; the error is the message.
pub(crate) fn parse(members: &Members) -> Result<Spec, String> {
    let spec = members.get("spec").ok_or("spec is required")?;
    Spec::deserialize(spec).map_err(|error| error.to_string())
}

// === impl Spec ===

impl Spec {
    fn singular(&self) -> String {
        let lower = || self.names.kind.to_lowercase();
        self.names.singular.clone().unwrap_or_else(lower)
    }

    fn list_kind(&self) -> String {
        let default = || format!("{}List", self.names.kind);
        self.names.list_kind.clone().unwrap_or_else(default)
    }

    /// Returns the cause for the first pattern that is not a regular expression.
    fn bad_pattern(&self) -> Option<FieldCause> {
        let (field, pattern, reason) =
            self.versions
                .iter()
                .enumerate()
                .find_map(|(index, version)| {
                    let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
                    schema::bad_pattern(version.schema.as_ref()?.root.as_ref()?, &path)
                })?;
        let message = format!(
            "Invalid value: {pattern:?}: must be a valid regular expression, but isn't: {reason}"
        );
        Some(FieldCause::new("FieldValueInvalid", field, message))
    }

    /// Returns the defined resource.
    pub(crate) fn resource(&self, id: ResourceId) -> Resource {
        let versions = self
            .versions
            .iter()
            .filter(|version| version.served)
            .map(|version| version.resolved(self))
            .collect();
        Resource {
            id,
            group: self.group.clone(),
            plural: self.names.plural.clone(),
            singular: self.singular(),
            kind: self.names.kind.clone(),
            list_kind: self.list_kind(),
            short_names: self.names.short_names.clone(),
            categories: self.names.categories.clone(),
            namespaced: self.scope == "Namespaced",
            offers: Offers::Everything,
            rules: Rules {
                generation: Generation::Counted,
                kept_by_status: KeptByStatus::Metadata,
                put_creates: false,
                put_needs_version: true,
                returns_deleted: false,
            },
            custom: true,
            versions,
        }
    }

    /// Returns the status of an accepted definition, or of a rejected one if there is a `conflict`.
    pub(crate) fn status(&self, conflict: Option<&str>, now: &str) -> Value {
        let condition = |kind: &str, reason: &str, message: &str, is_true: bool| {
            json!({
                "type": kind,
                "status": if is_true { "True" } else { "False" },
                "lastTransitionTime": now,
                "reason": reason,
                "message": message,
            })
        };
        let (names, established, message) = match conflict {
            Some(reason) => ("PluralConflict", "NotAccepted", reason),
            None => (
                "NoConflicts",
                "InitialNamesAccepted",
                "the names have been accepted",
            ),
        };
        let conditions = [
            condition("NamesAccepted", names, message, conflict.is_none()),
            condition("Established", established, message, conflict.is_none()),
        ];
        let stored: Vec<&str> = self
            .versions
            .iter()
            .filter(|version| version.storage)
            .map(|version| version.name.as_str())
            .collect();
        let mut accepted = json!({
            "plural": self.names.plural,
            "singular": self.singular(),
            "kind": self.names.kind,
            "listKind": self.list_kind(),
        });
        if !self.names.short_names.is_empty() {
            set(&mut accepted, "shortNames", json!(self.names.short_names));
        }
        if !self.names.categories.is_empty() {
            set(&mut accepted, "categories", json!(self.names.categories));
        }
        json!({
            "conditions": conditions,
            "acceptedNames": accepted,
            "storedVersions": stored,
        })
    }
}

// === impl VersionSpec ===

impl VersionSpec {
    /// Returns the version of the resource that `spec` defines.
    fn resolved(&self, spec: &Spec) -> Version {
        let schema = self
            .schema
            .as_ref()
            .and_then(|schema| schema.root.clone())
            .map(|root| Schema::new(root, !spec.preserve_unknown_fields));
        let selectable = self
            .selectable_fields
            .iter()
            .map(|field| field.json_path.trim_start_matches('.').to_owned())
            .collect();
        let status = self
            .subresources
            .as_ref()
            .is_some_and(|subresources| subresources.status.is_some());
        Version {
            name: self.name.clone(),
            status,
            scale: self.scale(),
            schema,
            columns: self.additional_printer_columns.clone(),
            selectable,
            deprecation: self.deprecation(spec),
        }
    }

    fn deprecation(&self, spec: &Spec) -> Option<String> {
        if !self.deprecated {
            return None;
        }
        let default = || {
            format!(
                "{}/{} {} is deprecated",
                spec.group, self.name, spec.names.kind
            )
        };
        Some(self.deprecation_warning.clone().unwrap_or_else(default))
    }

    fn scale(&self) -> Option<ScalePaths> {
        let scale = self.subresources.as_ref()?.scale.as_ref()?;
        Some(ScalePaths::custom(
            &scale.spec_replicas_path,
            &scale.status_replicas_path,
            scale.label_selector_path.as_deref(),
        ))
    }
}
