//! Special rules of single kinds.

use super::resource::Resource;
use crate::registry::builtin::Offers;

impl Resource {
    /// Returns the prefix of the real server's storage keys: `configmaps`, `example.com/widgets`.
    pub(crate) fn storage_prefix(&self) -> String {
        if self.custom {
            return format!("{}/{}", self.group, self.plural);
        }
        let prefix = match (self.group.as_str(), self.plural.as_str()) {
            ("", "endpoints") => "services/endpoints",
            ("", "nodes") => "minions",
            ("", "replicationcontrollers") => "controllers",
            ("", "services") => "services/specs",
            ("networking.k8s.io", "ingresses") => "ingress",
            (_, plural) => plural,
        };
        prefix.to_owned()
    }

    /// Returns the verbs of discovery, in the order of the real server.
    pub(crate) fn verbs(&self) -> &'static [&'static str] {
        match self.offers {
            Offers::Reads => &["get", "list"],
            Offers::Reviews => &["create"],
            Offers::Everything if self.is("", "namespaces") => &[
                "create", "delete", "get", "list", "patch", "update", "watch",
            ],
            // The real server's order, which follows no rule.
            Offers::Everything if self.custom => &[
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "create",
                "update",
                "watch",
            ],
            Offers::Everything => &[
                "create",
                "delete",
                "deletecollection",
                "get",
                "list",
                "patch",
                "update",
                "watch",
            ],
        }
    }
}
