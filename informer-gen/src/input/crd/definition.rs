//! Parses a `CustomResourceDefinition`, with the checks of the API server.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use informer_codegen::names::api;
use informer_manifest::{Node, Place};

use crate::error::{Error, Errors, Location};
use crate::gvk::{Gvk, Scope};
use crate::input::text;
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
    pub(super) fn new(node: &'a Node, path: &Path, listed: Option<&'a str>) -> Result<Self, Error> {
        let text = |key| node.get(key).and_then(Node::as_str);
        let (api_version, kind) = match (text("apiVersion"), text("kind"), listed) {
            (None, None, Some(api_version)) => (api_version, DEFINITION),
            (api_version, kind, _) => (api_version.unwrap_or_default(), kind.unwrap_or_default()),
        };
        let items = node.get("items").and_then(Node::as_sequence);
        let (group, version) = api_version.split_once('/').unwrap_or_default();
        let reader = Reader { file: path };
        match (group, kind, items) {
            (GROUP, DEFINITION, _) => match version {
                "v1" => Definition::new(node, &reader).map(Self::Definition),
                "v1beta1" => Err(reader.at(node, "apiVersion").error(
                    "`apiextensions.k8s.io/v1beta1` definitions are not supported, convert them to \
                     `apiextensions.k8s.io/v1`",
                )),
                _ => {
                    let problem = format!("must be `{GROUP}/v1`, found `{api_version}`");
                    Err(reader.error(node, "apiVersion", problem))
                }
            },
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
    fn new(node: &Node, reader: &Reader<'_>) -> Result<Self, Error> {
        let spec = reader.get(node, "spec")?;
        let names = reader.get(spec, "spec.names")?;
        let group = reader.name(spec, "spec.group", api::is_group, api::GROUP)?;
        let kind = reader.name(names, "spec.names.kind", api::is_kind, api::KIND)?;
        let plural = reader.name(names, "spec.names.plural", api::is_label, api::LABEL)?;
        reader.check_name(node, &plural, &group)?;
        let mut remarks = Remarks::default();
        let definition = Self {
            scope: reader.scope(spec)?,
            versions: reader.versions(spec, &mut remarks)?,
            short_names: reader.short_names(names)?,
            group,
            kind,
            plural,
            at: reader.at(names, "spec.names.kind"),
            oddities: remarks.oddities,
        };
        let mut errors = Errors::default();
        for (at, reason) in remarks.mistakes {
            errors.add(Location::new(reader.file, at).error(reason));
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
    /// Returns the description in the schema.
    pub(super) fn description(&self) -> &str {
        self.schema
            .as_deref()
            .map_or("", |schema| &schema.description)
    }

    fn difference(&self, other: &Self) -> Option<String> {
        if self.served != other.served {
            return Some("`served` differs".to_owned());
        }
        if self.deprecated != other.deprecated {
            return Some("`deprecated` or its warning differs".to_owned());
        }
        match (&self.schema, &other.schema) {
            (Some(one), Some(other)) => Some(one.difference(other)?.to_string()),
            (None, None) => None,
            (Some(_), None) | (None, Some(_)) => Some("only one has a schema".to_owned()),
        }
    }
}

/// Reads fields, and reports missing fields.
struct Reader<'a> {
    file: &'a Path,
}

impl Reader<'_> {
    /// Returns the position of the field at `path`, or of `node` if the field is missing.
    fn at(&self, node: &Node, path: &str) -> Location {
        Location::new(self.file, child(node, path).unwrap_or(node).at)
    }

    /// Returns an error at the position of the field.
    fn error(&self, node: &Node, path: &str, problem: impl Display) -> Error {
        self.at(node, path).error(format!("`{path}` {problem}"))
    }

    fn get<'n>(&self, node: &'n Node, path: &str) -> Result<&'n Node, Error> {
        child(node, path).ok_or_else(|| self.error(node, path, "is missing"))
    }

    fn text<'n>(&self, node: &'n Node, path: &str) -> Result<&'n str, Error> {
        let value = self.get(node, path)?;
        if let Some(text) = value.as_str() {
            return Ok(text);
        }
        let hint = match value.as_bool() {
            Some(_) => "; quote words such as `Y` and `on`",
            None => "",
        };
        Err(self.error(node, path, format!("must be a string{hint}")))
    }

    /// Reads a text that is a name by a rule.
    fn name(
        &self,
        node: &Node,
        path: &str,
        is_valid: fn(&str) -> bool,
        rule: &str,
    ) -> Result<String, Error> {
        let text = self.text(node, path)?;
        if !is_valid(text) {
            return Err(self.error(node, path, found(rule, text)));
        }
        Ok(text.to_owned())
    }

    fn short_names(&self, names: &Node) -> Result<Vec<String>, Error> {
        let listed = names.get("shortNames").and_then(Node::as_sequence);
        let mut short_names = Vec::new();
        for node in listed.unwrap_or_default() {
            let name = node.as_str().unwrap_or_default();
            if !api::is_label(name) {
                let problem = found(api::LABEL, name);
                return Err(self.error(node, "spec.names.shortNames[]", problem));
            }
            short_names.push(name.to_owned());
        }
        Ok(short_names)
    }

    /// Checks the name of a definition, which consists of plural and group. The API server rejects
    /// another name.
    fn check_name(&self, node: &Node, plural: &str, group: &str) -> Result<(), Error> {
        let metadata = self.get(node, "metadata")?;
        let name = self.text(metadata, "metadata.name")?;
        let expected = format!("{plural}.{group}");
        if name == expected {
            return Ok(());
        }
        let rule = format!("must be `{expected}`, the plural and the group");
        Err(self.error(metadata, "metadata.name", found(&rule, name)))
    }

    fn scope(&self, spec: &Node) -> Result<Scope, Error> {
        match self.text(spec, "spec.scope")? {
            "Cluster" => Ok(Scope::Cluster),
            "Namespaced" => Ok(Scope::Namespaced),
            other => {
                let rule = "must be `Cluster` or `Namespaced`";
                Err(self.error(spec, "spec.scope", found(rule, other)))
            }
        }
    }

    fn versions(&self, spec: &Node, remarks: &mut Remarks) -> Result<Vec<Version>, Error> {
        let path = "spec.versions";
        let Some(items) = self.get(spec, path)?.as_sequence() else {
            return Err(self.error(spec, path, "must be a list"));
        };
        let mut versions: Vec<Version> = Vec::new();
        for item in items {
            let version = self.version(item, remarks)?;
            if versions.iter().any(|before| before.name == version.name) {
                let problem = format!("`{path}` has `{}` twice", version.name);
                return Err(version.at.error(problem));
            }
            versions.push(version);
        }
        Ok(versions)
    }

    fn version(&self, node: &Node, remarks: &mut Remarks) -> Result<Version, Error> {
        let name_path = "spec.versions[].name";
        let name = self.name(node, name_path, api::is_label, api::LABEL)?;
        let served_path = "spec.versions[].served";
        let Some(served) = self.get(node, served_path)?.as_bool() else {
            return Err(self.error(node, served_path, "must be `true` or `false`"));
        };
        let deprecated = node.get("deprecated").and_then(Node::as_bool) == Some(true);
        let warning = node.get("deprecationWarning").and_then(Node::as_str);
        let schema = node
            .get("schema")
            .and_then(|schema| schema.get("openAPIV3Schema"));
        Ok(Version {
            name,
            served,
            deprecated: deprecated.then(|| warning.unwrap_or_default().to_owned()),
            schema: schema.map(|schema| Arc::new(Schema::new(schema, remarks))),
            at: self.at(node, name_path),
        })
    }
}

/// Returns the field of `node` whose key is the last name of `path`.
fn child<'n>(node: &'n Node, path: &str) -> Option<&'n Node> {
    let (_, key) = path.rsplit_once('.').unwrap_or(("", path));
    node.get(key)
}

/// Returns a rule with the value that violates it.
fn found(rule: &str, value: &str) -> String {
    api::found(rule, value) + text::of_template(value)
}
