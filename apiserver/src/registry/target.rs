//! Targets of paths, and the verbs of requests.

use std::fmt;
use std::sync::Arc;

use http::Method;
use serde::{Deserialize, Serialize};

use super::resource::Resource;
use super::subresource::Subresource;
use super::table::Registry;
use crate::status::ApiError;
use crate::url::segments;

/// Verb of a request for a resource, as in RBAC and audit logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads a collection.
    List,
    /// Watches a collection.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes a part of an object.
    Patch,
    /// Deletes an object.
    Delete,
    /// Deletes a collection.
    DeleteCollection,
    /// A request without a resource: discovery, health, unknown paths.
    Other,
}

/// Path of a collection, object or subresource.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ResourcePath {
    pub(crate) group: String,
    pub(crate) version: String,
    /// Empty for cluster scope and for all namespaces.
    pub(crate) namespace: String,
    pub(crate) plural: String,
    /// Empty for a collection.
    pub(crate) name: String,
    /// Empty for the object itself.
    pub(crate) subresource: String,
}

/// A resource path with its resolved resource.
#[derive(Debug, Clone)]
pub(crate) struct RequestTarget {
    pub(crate) resource: Arc<Resource>,
    pub(crate) version: String,
    /// Empty for cluster scope and for all namespaces.
    pub(crate) namespace: String,
    /// Empty for a collection.
    pub(crate) name: String,
    pub(crate) subresource: Subresource,
}

// === impl Verb ===

impl Verb {
    /// Returns the name: `get`, `list`, `deletecollection` and so on.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Other => "other",
        }
    }

    /// Returns the verb of `method` on `path`. `watch` is `true` if the query requests a watch.
    pub(crate) fn of(method: &Method, path: &ResourcePath, watch: bool) -> Option<Self> {
        let is_collection = path.name.is_empty();
        let verb = match method.as_str() {
            // With a name, the request is a get, even if the query requests a watch.
            "GET" if !is_collection => Self::Get,
            "GET" if watch => Self::Watch,
            "GET" => Self::List,
            "POST" if is_collection || !path.subresource.is_empty() => Self::Create,
            "PUT" if !is_collection => Self::Update,
            "PATCH" if !is_collection => Self::Patch,
            "DELETE" if is_collection => Self::DeleteCollection,
            "DELETE" => Self::Delete,
            _ => return None,
        };
        Some(verb)
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

// === impl Subresource ===

impl Subresource {
    /// Returns the supported verbs, in the words of discovery.
    pub(crate) fn verbs(self, resource: &Resource) -> &'static [&'static str] {
        match self {
            Self::None => resource.verbs(),
            Self::Status | Self::Scale => &["get", "patch", "update"],
        }
    }
}

// === impl ResourcePath ===

impl ResourcePath {
    /// Parses a path; `None` if it does not name a collection, object or subresource.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let decoded = segments(path);
        let segments: Vec<&str> = decoded.iter().map(String::as_str).collect();
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (namespace, rest) = match rest {
            // `namespaces/x/status` is the subresource of a namespace, not a resource in it.
            ["namespaces", _, "status" | "finalize"] => ("", rest),
            ["namespaces", namespace, inner @ ..] if !inner.is_empty() => (*namespace, inner),
            _ => ("", rest),
        };
        let (plural, name, subresource) = match rest {
            [plural] => (*plural, "", ""),
            [plural, name] => (*plural, *name, ""),
            [plural, name, subresource] => (*plural, *name, *subresource),
            _ => return None,
        };
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            plural: plural.to_owned(),
            name: name.to_owned(),
            subresource: subresource.to_owned(),
        })
    }

    /// Returns the path for authorization: the path of a namespace is within that namespace.
    pub(crate) fn in_itself(&self) -> Self {
        let mut path = self.clone();
        if self.group.is_empty() && self.plural == "namespaces" {
            path.namespace.clone_from(&self.name);
        }
        path
    }

    /// Resolves the resource; `None` if the path does not name a served one.
    pub(crate) fn resolve(&self, registry: &Registry) -> Option<RequestTarget> {
        let resource = registry.get(&self.group, &self.plural)?;
        let version = resource.version(&self.version)?;
        let subresource = match self.subresource.as_str() {
            "" => Subresource::None,
            "status" if version.status => Subresource::Status,
            "scale" if version.scale.is_some() => Subresource::Scale,
            _ => return None,
        };
        let in_scope = if resource.namespaced {
            self.name.is_empty() || !self.namespace.is_empty()
        } else {
            self.namespace.is_empty()
        };
        if !in_scope {
            return None;
        }
        Some(RequestTarget {
            resource: Arc::clone(resource),
            version: self.version.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            subresource,
        })
    }
}

// === impl RequestTarget ===

impl RequestTarget {
    /// `v1`, `apps/v1`.
    pub(crate) fn api_version(&self) -> String {
        self.resource.api_version(&self.version)
    }

    /// Reports whether the main endpoint and `status` are separate.
    pub(crate) fn has_status(&self) -> bool {
        self.resource
            .version(&self.version)
            .is_some_and(|version| version.status)
    }

    /// Returns the warning for users of this version of the resource.
    pub(crate) fn deprecation(&self) -> Option<&str> {
        self.resource.version(&self.version)?.deprecation.as_deref()
    }

    /// Returns the path of this target.
    pub(crate) fn path(&self) -> ResourcePath {
        ResourcePath {
            group: self.resource.group.clone(),
            version: self.version.clone(),
            namespace: self.namespace.clone(),
            plural: self.resource.plural.clone(),
            name: self.name.clone(),
            subresource: self.subresource.as_str().to_owned(),
        }
    }

    /// Returns the target of another object of the same resource.
    pub(crate) fn at(&self, namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            subresource: Subresource::None,
            ..self.clone()
        }
    }

    /// `true` if the target is a collection in all namespaces.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.resource.namespaced && self.namespace.is_empty()
    }

    /// Rejects verbs that discovery does not list.
    pub(crate) fn allows(&self, verb: Verb) -> Result<(), ApiError> {
        let served = self.subresource.verbs(&self.resource);
        let needs_namespace = matches!(verb, Verb::Create | Verb::DeleteCollection);
        let lacks_namespace = needs_namespace && self.is_everywhere();
        if served.contains(&verb.as_str()) && !lacks_namespace {
            return Ok(());
        }
        if !self.resource.custom {
            return Err(ApiError::method_not_allowed());
        }
        let name = if verb == Verb::Other {
            ""
        } else {
            verb.as_str()
        };
        Err(ApiError::not_supported(&self.resource, name))
    }
}
