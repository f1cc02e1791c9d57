//! The columns of built-in kinds, as the real server's printers have them.

mod autoscaling;
mod cluster;
mod network;
mod pods;
mod printed;
mod workloads;

use self::printed::{AGE, Printed};
pub(super) use self::printed::{age, since};

/// What stands behind the name. Kinds that are not named here have their age.
pub(super) fn columns(group: &str, plural: &str) -> &'static [Printed] {
    match (group, plural) {
        ("", "pods") => pods::PODS,
        ("apps", "deployments") => workloads::DEPLOYMENTS,
        ("apps", "replicasets") | ("", "replicationcontrollers") => workloads::REPLICA_SETS,
        ("apps", "statefulsets") => workloads::STATEFUL_SETS,
        ("apps", "daemonsets") => workloads::DAEMON_SETS,
        ("batch", "jobs") => workloads::JOBS,
        ("batch", "cronjobs") => workloads::CRON_JOBS,
        ("autoscaling", "horizontalpodautoscalers") => autoscaling::AUTOSCALERS,
        ("", "endpoints") => network::ENDPOINTS,
        ("discovery.k8s.io", "endpointslices") => network::ENDPOINT_SLICES,
        ("", "services") => network::SERVICES,
        ("networking.k8s.io", "ingresses") => network::INGRESSES,
        ("networking.k8s.io", "ingressclasses") => network::INGRESS_CLASSES,
        ("networking.k8s.io", "networkpolicies") => network::NETWORK_POLICIES,
        ("" | "events.k8s.io", "events") => cluster::EVENTS,
        ("", "namespaces") => cluster::NAMESPACES,
        ("", "nodes") => cluster::NODES,
        ("", "configmaps") => cluster::CONFIG_MAPS,
        ("", "secrets") => cluster::SECRETS,
        ("", "persistentvolumes") => cluster::VOLUMES,
        ("", "persistentvolumeclaims") => cluster::VOLUME_CLAIMS,
        ("storage.k8s.io", "storageclasses") => cluster::STORAGE_CLASSES,
        ("coordination.k8s.io", "leases") => cluster::LEASES,
        ("scheduling.k8s.io", "priorityclasses") => cluster::PRIORITY_CLASSES,
        ("policy", "poddisruptionbudgets") => cluster::DISRUPTION_BUDGETS,
        ("rbac.authorization.k8s.io", "rolebindings" | "clusterrolebindings") => cluster::BINDINGS,
        ("rbac.authorization.k8s.io", "roles" | "clusterroles")
        | ("", "limitranges")
        | ("storage.k8s.io", "csistoragecapacities") => cluster::CREATED,
        ("apiextensions.k8s.io", "customresourcedefinitions") => cluster::DEFINITIONS,
        _ => &[AGE],
    }
}
