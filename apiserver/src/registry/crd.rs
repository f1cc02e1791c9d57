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
    let violation = match parse(members) {
        Ok(spec) => spec.violation(name),
        Err(reason) => Some(FieldCause::invalid("spec", "", &reason)),
    };
    match violation {
        Some(cause) => Err(ApiError::invalid(resource, name, &[cause])),
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
        match &self.names.singular {
            Some(singular) => singular.clone(),
            None => self.names.kind.to_lowercase(),
        }
    }

    fn list_kind(&self) -> String {
        match &self.names.list_kind {
            Some(kind) => kind.clone(),
            None => format!("{}List", self.names.kind),
        }
    }

    /// Returns the first reason to reject the definition `name`.
    fn violation(&self, name: &str) -> Option<FieldCause> {
        let names = &self.names;
        if name != format!("{}.{}", names.plural, self.group) {
            let detail = "must be spec.names.plural+\".\"+spec.group";
            return Some(FieldCause::invalid("metadata.name", name, detail));
        }
        if !self.group.contains('.') {
            let detail = "should be a domain with at least one dot";
            return Some(FieldCause::invalid("spec.group", &self.group, detail));
        }
        if names.kind.is_empty() {
            return Some(FieldCause::required("spec.names.kind", ""));
        }
        let list_kind = self.list_kind();
        if list_kind == names.kind {
            let detail = "kind and listKind may not be the same";
            let field = "spec.names.listKind";
            return Some(FieldCause::invalid(field, &list_kind, detail));
        }
        if !matches!(self.scope.as_str(), "Namespaced" | "Cluster") {
            let scopes = ["Cluster", "Namespaced"];
            let cause = FieldCause::not_supported("spec.scope", &self.scope, &scopes);
            return Some(cause);
        }
        let stored = self.versions.iter().filter(|version| version.storage);
        if stored.count() != 1 {
            let detail = "must have exactly one version marked as storage version";
            return Some(FieldCause::invalid("spec.versions", "", detail));
        }
        self.bad_pattern()
    }

    /// Returns the cause for the first pattern that is not a regular expression.
    fn bad_pattern(&self) -> Option<FieldCause> {
        for (index, version) in self.versions.iter().enumerate() {
            let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
            if let Some(schema) = version.root()
                && let Some(bad) = schema::bad_pattern(schema, &path)
            {
                let message = format!(
                    "Invalid value: {:?}: must be a valid regular expression, but isn't: {}",
                    bad.pattern, bad.reason
                );
                return Some(FieldCause::new("FieldValueInvalid", bad.path, message));
            }
        }
        None
    }

    /// Returns the defined resource.
    pub(crate) fn resource(&self, id: ResourceId) -> Resource {
        let mut versions = Vec::new();
        for version in &self.versions {
            if version.served {
                versions.push(version.resolved(self));
            }
        }
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
        let conditions = if let Some(reason) = conflict {
            [
                condition("NamesAccepted", "PluralConflict", reason, false),
                condition("Established", "NotAccepted", reason, false),
            ]
        } else {
            let message = "the names have been accepted";
            [
                condition("NamesAccepted", "NoConflicts", message, true),
                condition("Established", "InitialNamesAccepted", message, true),
            ]
        };
        let mut stored = Vec::new();
        for version in &self.versions {
            if version.storage {
                stored.push(version.name.as_str());
            }
        }
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
            .root()
            .map(|root| Schema::new(root.clone(), !spec.preserve_unknown_fields));
        let mut selectable = Vec::new();
        for field in &self.selectable_fields {
            let path = field.json_path.trim_start_matches('.');
            selectable.push(path.to_owned());
        }
        let status = match &self.subresources {
            Some(subresources) => subresources.status.is_some(),
            None => false,
        };
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

    /// Returns the root of the schema.
    fn root(&self) -> Option<&Value> {
        self.schema.as_ref()?.root.as_ref()
    }

    fn deprecation(&self, spec: &Spec) -> Option<String> {
        if !self.deprecated {
            return None;
        }
        if self.deprecation_warning.is_some() {
            return self.deprecation_warning.clone();
        }
        let kind = &spec.names.kind;
        Some(format!("{}/{} {kind} is deprecated", spec.group, self.name))
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
