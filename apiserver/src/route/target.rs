//! What a path leads to.

use std::sync::Arc;

use super::{ResourcePath, Verb};
use crate::registry::{Registry, Resource};
use crate::status::ApiError;

/// A resource path with the resource it means.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) resource: Arc<Resource>,
    pub(crate) version: String,
    /// Empty for cluster scope and for all namespaces.
    pub(crate) namespace: String,
    /// Empty for a collection.
    pub(crate) name: String,
    pub(crate) part: Part,
}

/// The object itself, or a subresource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Object,
    /// `status`
    Status,
    /// `scale`
    Scale,
    /// `eviction`, of Pods
    Eviction,
    /// `token`, of service accounts
    Token,
}

// === impl Part ===

impl Part {
    /// Its name in paths; empty for the object itself.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Object => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Eviction => "eviction",
            Self::Token => "token",
        }
    }

    /// The group and kind of what is read and written there, if it is not of the object's; its
    /// version is `v1`.
    pub(crate) fn foreign_kind(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Object | Self::Status => None,
            Self::Scale => Some(("autoscaling", "Scale")),
            Self::Eviction => Some(("policy", "Eviction")),
            Self::Token => Some(("authentication.k8s.io", "TokenRequest")),
        }
    }

    /// What can be done with it, in the words of discovery.
    pub(crate) fn verbs(self, resource: &Resource) -> &'static [&'static str] {
        match self {
            Self::Object => resource.verbs(),
            Self::Status | Self::Scale => &["get", "patch", "update"],
            Self::Eviction | Self::Token => &["create"],
        }
    }
}

// === impl ResourcePath ===

impl ResourcePath {
    /// Looks the resource up; nothing if the path does not name a served one.
    pub(crate) fn resolve(&self, registry: &Registry) -> Option<Target> {
        let resource = registry.get(&self.group, &self.plural)?;
        let version = resource.version(&self.version)?;
        let part = match self.subresource.as_str() {
            "" => Part::Object,
            "status" if version.status => Part::Status,
            "scale" if version.scale.is_some() => Part::Scale,
            name => resource.asked_part().filter(|part| part.as_str() == name)?,
        };
        let in_scope = if resource.namespaced {
            self.name.is_empty() || !self.namespace.is_empty()
        } else {
            self.namespace.is_empty()
        };
        in_scope.then(|| Target {
            resource: Arc::clone(resource),
            version: self.version.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            part,
        })
    }
}

// === impl Target ===

impl Target {
    /// `v1`, `apps/v1`.
    pub(crate) fn api_version(&self) -> String {
        self.resource.api_version(&self.version)
    }

    /// Whether the main endpoint and `status` are separate.
    pub(crate) fn has_status(&self) -> bool {
        self.resource
            .version(&self.version)
            .is_some_and(|version| version.status)
    }

    /// What who uses this version of the resource is warned of.
    pub(crate) fn deprecation(&self) -> Option<&str> {
        let version = self.resource.version(&self.version)?;
        version.deprecation.as_deref()
    }

    /// The path that leads here.
    pub(crate) fn path(&self) -> ResourcePath {
        ResourcePath {
            group: self.resource.group.clone(),
            version: self.version.clone(),
            namespace: self.namespace.clone(),
            plural: self.resource.plural.clone(),
            name: self.name.clone(),
            subresource: self.part.as_str().to_owned(),
        }
    }

    /// The same resource, at another object.
    pub(crate) fn at(&self, namespace: &str, name: &str) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            part: Part::Object,
            ..self.clone()
        }
    }

    /// All namespaces at once.
    pub(crate) fn is_everywhere(&self) -> bool {
        self.resource.namespaced && self.namespace.is_empty()
    }

    /// Refuses verbs that discovery does not list.
    pub(crate) fn allows(&self, verb: Verb) -> Result<(), ApiError> {
        let served = self.part.verbs(&self.resource).contains(&verb.as_str());
        let needs_namespace = matches!(verb, Verb::Create | Verb::DeleteCollection);
        if served && !(needs_namespace && self.is_everywhere()) {
            Ok(())
        } else if self.resource.custom {
            let verb = if verb == Verb::Other {
                ""
            } else {
                verb.as_str()
            };
            Err(ApiError::not_supported(&self.resource, verb))
        } else {
            Err(ApiError::method_not_allowed())
        }
    }
}
