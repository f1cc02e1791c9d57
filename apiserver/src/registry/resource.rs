//! Resources and their versions.

use std::sync::Arc;

use serde::Deserialize;

use super::builtin::Offers;
use super::rules::Rules;
use super::scale::ScalePaths;
use super::schema::Schema;
use crate::status::NamedResource;
use crate::store::ResourceId;

/// A resource: one plural of one group, in all its versions.
///
/// Versions share their objects without conversion: an object is served in another version as it
/// was written, with that version's `apiVersion`.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) id: ResourceId,
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    pub(crate) offers: Offers,
    pub(crate) rules: Rules,
    /// `true` if a `CustomResourceDefinition` defines the resource.
    pub(crate) custom: bool,
    /// Served versions, the most preferred first.
    pub(crate) versions: Vec<Version>,
}

/// One served version of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) name: String,
    /// `true` if the version has a `status` subresource; the main endpoint then ignores `status`.
    pub(crate) status: bool,
    pub(crate) scale: Option<ScalePaths>,
    /// Schema of a custom resource, if its definition has one.
    pub(crate) schema: Option<Schema>,
    /// `additionalPrinterColumns` of a definition.
    pub(crate) columns: Vec<PrinterColumn>,
    /// `selectableFields` of a definition, in the form `spec.color`.
    pub(crate) selectable: Vec<String>,
    /// Warning for each request.
    pub(crate) deprecation: Option<String>,
}

/// A column as a `CustomResourceDefinition` declares it: `additionalPrinterColumns`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrinterColumn {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) format: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) priority: i32,
    pub(crate) json_path: String,
}

// === impl Resource ===

impl Resource {
    /// Returns the name of the table of columns: `pods.`, `deployments.apps`.
    pub(crate) fn table_name(&self) -> String {
        format!("{}.{}", self.plural, self.group)
    }

    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// Returns the `apiVersion` of a version: `v1`, `apps/v1`.
    pub(crate) fn api_version(&self, version: &str) -> String {
        api_version(&self.group, version)
    }

    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural
    }

    /// Reports whether `name` denotes this resource: its plural, or `plural.group`.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.plural == name || self.qualified() == name
    }
}

/// Joins group and version as documents do: `v1`, `apps/v1`.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// Returns those of `resources` that are served under `group` and `version`.
pub(crate) fn within<'a>(
    resources: impl IntoIterator<Item = &'a Arc<Resource>>,
    group: &'a str,
    version: &'a str,
) -> impl Iterator<Item = (&'a Resource, &'a Version)> {
    resources
        .into_iter()
        .filter(move |resource| resource.group == group)
        .filter_map(move |resource| Some((&**resource, resource.version(version)?)))
}

impl NamedResource for Resource {
    fn group(&self) -> &str {
        &self.group
    }

    fn plural(&self) -> &str {
        &self.plural
    }

    fn kind(&self) -> &str {
        &self.kind
    }
}
