//! Parses a `CustomResourceDefinition`, with the checks of the API server.

use std::path::Path;
use std::sync::Arc;

use informer_codegen::names::api;
use informer_manifest::{Node, Place};

use super::field::Field;
use crate::error::{Errors, Location, Result};
use crate::gvk::{Gvk, Scope};
use crate::types::schema::{Remarks, Schema};

const GROUP: &str = "apiextensions.k8s.io";
const DEFINITION: &str = "CustomResourceDefinition";

/// Document of a manifest.
pub(super) enum Document<'a> {
    Definition(Definition),
    List {
        items: &'a [Node],
        /// `apiVersion` of items without one, if the list is a list of definitions.
        of_definitions: Option<&'a str>,
    },
    /// Any other document, with its description and position.
    Other(String),
}

#[derive(Debug)]
pub(super) struct Definition {
    pub(super) group: String,
    pub(super) kind: String,
    pub(super) plural: String,
    pub(super) scope: Scope,
    pub(super) versions: Vec<Version>,
    pub(super) short_names: Vec<String>,
    /// Position of `spec.names.kind`.
    pub(super) at: Location,
    /// Parts of the schemas that the author probably means otherwise.
    pub(super) oddities: Vec<(Place, &'static str)>,
}

#[derive(Debug)]
pub(super) struct Version {
    pub(super) name: String,
    pub(super) served: bool,
    pub(super) deprecated: Option<String>,
    pub(super) schema: Option<Arc<Schema>>,
    pub(super) at: Location,
}

// === impl Document ===

impl<'a> Document<'a> {
    /// Reads a document. `listed` is the `apiVersion` of the enclosing list of definitions, if any.
    pub(super) fn new(node: &'a Node, path: &Path, listed: Option<&'a str>) -> Result<Self> {
        let text = |key| node.get(key).and_then(Node::as_str);
        let (api_version, kind) = match (text("apiVersion"), text("kind"), listed) {
            (None, None, Some(api_version)) => (api_version, DEFINITION),
            (api_version, kind, _) => (api_version.unwrap_or_default(), kind.unwrap_or_default()),
        };
        let items = node.get("items").and_then(Node::as_sequence);
        let (group, version) = api_version.split_once('/').unwrap_or_default();
        match (group, kind, items) {
            (GROUP, DEFINITION, _) if version == "v1" => {
                Definition::new(path, node).map(Self::Definition)
            }
            (GROUP, DEFINITION, _) => {
                let at = Location::new(path, node.get("apiVersion").unwrap_or(node).at);
                Err(at.error(if version == "v1beta1" {
                    format!(
                        "`{GROUP}/v1beta1` definitions are not supported, convert them to \
                         `{GROUP}/v1`"
                    )
                } else {
                    format!("`apiVersion` must be `{GROUP}/v1`, found `{api_version}`")
                }))
            }
            (_, "List", Some(items)) => Ok(Self::List {
                items,
                of_definitions: None,
            }),
            (GROUP, "CustomResourceDefinitionList", Some(items)) => Ok(Self::List {
                items,
                of_definitions: Some(api_version),
            }),
            _ => {
                let at = Location::new(path, node.at);
                Ok(Self::Other(if kind.is_empty() {
                    format!("a document that is not a Kubernetes object at {at}")
                } else {
                    format!("`{api_version}/{kind}` at {at}")
                }))
            }
        }
    }
}

// === impl Definition ===

impl Definition {
    fn new(path: &Path, node: &Node) -> Result<Self> {
        let document = Field::root(path, node);
        let spec = document.get("spec")?;
        let names = spec.get("names")?;
        let group = spec.get("group")?.name(api::is_group, api::GROUP)?;
        let kind_field = names.get("kind")?;
        let kind = kind_field.name(api::is_kind, api::KIND)?;
        let plural = names.get("plural")?.name(api::is_label, api::LABEL)?;
        check_name(&document, &plural, &group)?;
        let mut remarks = Remarks::default();
        let definition = Self {
            scope: scope(&spec.get("scope")?)?,
            versions: versions(&spec.get("versions")?, &mut remarks)?,
            short_names: short_names(&names)?,
            group,
            kind,
            plural,
            at: kind_field.at(),
            oddities: remarks.oddities,
        };
        let mut errors = Errors::default();
        for (at, reason) in remarks.mistakes {
            errors.add(Location::new(path, at).error(reason));
        }
        errors.finish()?;
        Ok(definition)
    }

    /// Returns a difference between two definitions of a kind that can matter to generated code.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.plural != other.plural {
            return Some(format!(
                "the plural is `{}` and `{}`",
                self.plural, other.plural
            ));
        }
        if self.scope != other.scope {
            return Some(format!("the scope is {} and {}", self.scope, other.scope));
        }
        let ours = self.version_names();
        let theirs = other.version_names();
        if ours != theirs {
            return Some(format!(
                "the versions are `{}` and `{}`",
                ours.join("`, `"),
                theirs.join("`, `")
            ));
        }
        for (ours, theirs) in self.versions.iter().zip(&other.versions) {
            if let Some(difference) = ours.difference(theirs) {
                return Some(format!("in `{}` {difference}", ours.name));
            }
        }
        None
    }

    fn version_names(&self) -> Vec<&str> {
        self.versions
            .iter()
            .map(|version| version.name.as_str())
            .collect()
    }

    pub(super) fn gvk(&self, version: &Version) -> Gvk {
        Gvk::new(&self.group, &version.name, &self.kind)
    }

    /// Returns the kind in its first version.
    pub(super) fn first_gvk(&self) -> Gvk {
        let version = self.versions.first().map_or("", |version| &version.name);
        Gvk::new(&self.group, version, &self.kind)
    }
}

// === impl Version ===

impl Version {
    fn new(item: &Field<'_>, remarks: &mut Remarks) -> Result<Self> {
        let name_field = item.get("name")?;
        let name = name_field.name(api::is_label, api::LABEL)?;
        let served_field = item.get("served")?;
        let Some(served) = served_field.node.as_bool() else {
            return Err(served_field.error("must be `true` or `false`"));
        };
        let mut version = Self {
            name,
            served,
            deprecated: None,
            schema: None,
            at: name_field.at(),
        };
        let node = item.node;
        if node.get("deprecated").and_then(Node::as_bool) == Some(true) {
            let warning = node.get("deprecationWarning").and_then(Node::as_str);
            version.deprecated = Some(warning.unwrap_or_default().to_owned());
        }
        if let Some(wrapper) = node.get("schema")
            && let Some(schema) = wrapper.get("openAPIV3Schema")
        {
            version.schema = Some(Arc::new(Schema::new(schema, remarks)));
        }
        Ok(version)
    }

    /// Returns the description in the schema.
    pub(super) fn description(&self) -> &str {
        match &self.schema {
            Some(schema) => &schema.description,
            None => "",
        }
    }

    fn difference(&self, other: &Self) -> Option<String> {
        if self.served != other.served {
            return Some("`served` differs".to_owned());
        }
        if self.deprecated != other.deprecated {
            return Some("`deprecated` or its warning differs".to_owned());
        }
        match (&self.schema, &other.schema) {
            (Some(ours), Some(theirs)) => {
                let difference = ours.difference(theirs)?;
                Some(difference.to_string())
            }
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => Some("only one has a schema".to_owned()),
        }
    }
}

/// Checks the name of a definition, which consists of plural and group. The API server rejects
/// another name.
fn check_name(document: &Field<'_>, plural: &str, group: &str) -> Result<()> {
    let field = document.get("metadata")?.get("name")?;
    let name = field.text()?;
    let expected = format!("{plural}.{group}");
    if name == expected {
        return Ok(());
    }
    let rule = format!("must be `{expected}`, the plural and the group");
    Err(field.violates(&rule, name))
}

fn scope(field: &Field<'_>) -> Result<Scope> {
    match field.text()? {
        "Cluster" => Ok(Scope::Cluster),
        "Namespaced" => Ok(Scope::Namespaced),
        other => Err(field.violates("must be `Cluster` or `Namespaced`", other)),
    }
}

/// Reads the short names. A missing list is an empty one.
fn short_names(names: &Field<'_>) -> Result<Vec<String>> {
    let mut short_names = Vec::new();
    let Ok(field) = names.get("shortNames") else {
        return Ok(short_names);
    };
    for item in field.items().into_iter().flatten() {
        let name = item.node.as_str().unwrap_or_default();
        if !api::is_label(name) {
            return Err(item.violates(api::LABEL, name));
        }
        short_names.push(name.to_owned());
    }
    Ok(short_names)
}

fn versions(field: &Field<'_>, remarks: &mut Remarks) -> Result<Vec<Version>> {
    let Some(items) = field.items() else {
        return Err(field.error("must be a list"));
    };
    let mut versions: Vec<Version> = Vec::new();
    for item in items {
        let version = Version::new(&item, remarks)?;
        if versions.iter().any(|before| before.name == version.name) {
            let problem = format!("`spec.versions` has `{}` twice", version.name);
            return Err(version.at.error(problem));
        }
        versions.push(version);
    }
    Ok(versions)
}
