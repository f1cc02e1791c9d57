//! Routing: method and path of a request.

use crate::registry::target::{ResourcePath, segments};

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
    /// `/.well-known/openid-configuration`
    Issuer,
    /// `/openid/v1/jwks`
    Keys,
    /// `/openapi/v2`
    OpenApi2,
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
        let segments = segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        match segments.as_slice() {
            ["version"] => Self::Version,
            ["healthz" | "readyz" | "livez", ..] => Self::Health,
            [".well-known", "openid-configuration"] => Self::Issuer,
            ["openid", "v1", "jwks"] => Self::Keys,
            ["api"] => Self::CoreVersions,
            ["apis"] => Self::Groups,
            ["openapi", "v2"] => Self::OpenApi2,
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
mod tests {
    use super::Route;
    use crate::registry::target::ResourcePath;

    fn resource(path: &str) -> [String; 6] {
        let Route::Resource(ResourcePath {
            group,
            version,
            namespace,
            plural,
            name,
            subresource,
        }) = Route::parse(path)
        else {
            panic!("{path} is no resource")
        };
        [group, version, namespace, plural, name, subresource]
    }

    #[test]
    fn paths_are_taken_apart() {
        for (path, expected) in [
            ("/api/v1/pods", ["", "v1", "", "pods", "", ""]),
            ("/api/v1/namespaces", ["", "v1", "", "namespaces", "", ""]),
            (
                "/api/v1/namespaces/x",
                ["", "v1", "", "namespaces", "x", ""],
            ),
            (
                "/api/v1/namespaces/x/status",
                ["", "v1", "", "namespaces", "x", "status"],
            ),
            ("/api/v1/namespaces/x/pods", ["", "v1", "x", "pods", "", ""]),
            (
                "/apis/apps/v1/namespaces/x/deployments/y/status",
                ["apps", "v1", "x", "deployments", "y", "status"],
            ),
            (
                "/apis/a.io/v1/roles/system%3Aall",
                ["a.io", "v1", "", "roles", "system:all", ""],
            ),
        ] {
            assert_eq!(resource(path), expected, "{path}");
        }
        assert_eq!(Route::parse("/apis/apps/"), Route::Group("apps".to_owned()));
        assert_eq!(Route::parse("/livez/ping"), Route::Health);
        let index = Route::OpenApi(String::new());
        assert_eq!(Route::parse("/openapi/v3"), index);
        let document = Route::OpenApi("apis/apps/v1".to_owned());
        assert_eq!(Route::parse("/openapi/v3/apis/apps/v1"), document);
        for unknown in ["/", "/openapi/v1", "/api/v1/namespaces/x/pods/y/z/w"] {
            assert_eq!(Route::parse(unknown), Route::Unknown, "{unknown}");
        }
    }
}
