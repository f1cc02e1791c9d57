//! What holds for some kinds and not for others.

use super::part::Part;
use super::resource::Resource;
use crate::registry::builtin::Offers;

impl Resource {
    /// Where the real server stores it: `configmaps`, `example.com/widgets`.
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

    /// The subresource of its objects that answers requests of another kind and stores none.
    pub(crate) fn asked_part(&self) -> Option<Part> {
        match (self.group.as_str(), self.plural.as_str()) {
            ("", "pods") => Some(Part::Eviction),
            ("", "serviceaccounts") => Some(Part::Token),
            _ => None,
        }
    }

    /// Whether a PUT of an object that is not there creates it.
    pub(crate) fn is_created_by_update(&self) -> bool {
        match self.group.as_str() {
            "" => matches!(
                self.plural.as_str(),
                "endpoints" | "events" | "limitranges" | "services"
            ),
            "coordination.k8s.io" | "rbac.authorization.k8s.io" => true,
            "events.k8s.io" => self.plural == "events",
            "node.k8s.io" => self.plural == "runtimeclasses",
            _ => false,
        }
    }

    /// Whether an update may leave open which version it is of.
    pub(crate) fn takes_unconditional_updates(&self) -> bool {
        match (self.group.as_str(), self.plural.as_str()) {
            _ if self.custom => false,
            (
                "admissionregistration.k8s.io"
                | "coordination.k8s.io"
                | "internal.apiserver.k8s.io"
                | "lifecycle.k8s.io"
                | "node.k8s.io"
                | "storagemigration.k8s.io",
                _,
            ) => false,
            ("certificates.k8s.io", plural) => plural == "certificatesigningrequests",
            ("policy", plural) => plural != "poddisruptionbudgets",
            ("scheduling.k8s.io", plural) => plural == "priorityclasses",
            ("storage.k8s.io", plural) => {
                matches!(plural, "storageclasses" | "volumeattributesclasses")
            }
            ("resource.k8s.io", plural) => plural != "resourcepoolstatusrequests",
            _ => true,
        }
    }

    /// Whether its objects count in `metadata.generation` how often they were changed.
    pub(crate) fn counts_generations(&self) -> bool {
        match (self.group.as_str(), self.plural.as_str()) {
            _ if self.custom => true,
            ("", plural) => matches!(plural, "pods" | "podtemplates" | "replicationcontrollers"),
            ("apps", plural) => plural != "controllerrevisions",
            (
                "admissionregistration.k8s.io"
                | "apiextensions.k8s.io"
                | "autoscaling"
                | "batch"
                | "discovery.k8s.io"
                | "flowcontrol.apiserver.k8s.io"
                | "lifecycle.k8s.io"
                | "policy",
                _,
            ) => true,
            ("networking.k8s.io", plural) => {
                matches!(plural, "ingressclasses" | "ingresses" | "networkpolicies")
            }
            ("resource.k8s.io", plural) => {
                matches!(
                    plural,
                    "deviceclasses" | "devicetaintrules" | "resourceslices"
                )
            }
            ("scheduling.k8s.io", plural) => plural == "priorityclasses",
            _ => false,
        }
    }

    /// What discovery says can be done with it, in the order of the real server.
    pub(crate) fn verbs(&self) -> &'static [&'static str] {
        match self.offers {
            Offers::Reads => &["get", "list"],
            Offers::Reviews => &["create"],
            Offers::Everything if self.is("", "namespaces") => &[
                "create", "delete", "get", "list", "patch", "update", "watch",
            ],
            // In the real server's order, which is none.
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

/// What else `kubectl get` shows a built-in kind under.
pub(super) fn categories(group: &str, plural: &str) -> Vec<String> {
    let category = match group {
        "" if matches!(plural, "pods" | "replicationcontrollers" | "services") => "all",
        "apps" if plural != "controllerrevisions" => "all",
        "batch" => "all",
        "autoscaling" if plural == "horizontalpodautoscalers" => "all",
        "admissionregistration.k8s.io" | "apiextensions.k8s.io" | "apiregistration.k8s.io" => {
            "api-extensions"
        }
        _ => return Vec::new(),
    };
    vec![category.to_owned()]
}

/// Whether a built-in kind has the subresource `scale`.
pub(super) fn scales(group: &str, plural: &str) -> bool {
    matches!(
        (group, plural),
        ("apps", "deployments" | "replicasets" | "statefulsets") | ("", "replicationcontrollers")
    )
}
