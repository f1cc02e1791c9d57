//! Routing: method and path of a request.

use crate::registry::target::ResourcePath;
use crate::url::segments;

/// Parsed path of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Route {
    /// `/version`
    Version,
    /// `/healthz`, `/readyz`, `/livez`
    Health,
    /// `/api`
    CoreVersions,
    /// `/apis`
    Groups,
    /// `/apis/{group}`
    Group(String),
    /// `/api/v1`, `/apis/{group}/{version}`
    GroupVersion { group: String, version: String },
    /// `/openapi/v3`, `/openapi/v3/apis/apps/v1`: the part after `v3`.
    OpenApi(String),
    /// A collection, an object or a subresource.
    Resource(ResourcePath),
    /// A path that this server does not know.
    Unknown,
}

// === impl Route ===

impl Route {
    /// Returns the resource path, if the route has one.
    pub(crate) fn resource(&self) -> Option<&ResourcePath> {
        if let Self::Resource(path) = self {
            Some(path)
        } else {
            None
        }
    }

    pub(crate) fn parse(path: &str) -> Self {
        if let Some(path) = ResourcePath::parse(path) {
            return Self::Resource(path);
        }
        let decoded = segments(path);
        let segments: Vec<&str> = decoded.iter().map(String::as_str).collect();
        match segments.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "readyz" | "livez", ..] => Self::Health,
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["openapi", "v3", rest @ ..] => Self::OpenApi(rest.join("/")),
            ["apis", group] => Self::Group((*group).to_owned()),
            ["api", version] => Self::GroupVersion {
                group: String::new(),
                version: (*version).to_owned(),
            },
            ["apis", group, version] => Self::GroupVersion {
                group: (*group).to_owned(),
                version: (*version).to_owned(),
            },
            _ => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests;
