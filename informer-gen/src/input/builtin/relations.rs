//! Relations of the built-in kinds, from a table.
//!
//! The table has the fields by which the API defines a relation between stable kinds. The fields
//! exist in all versions of `k8s-openapi` that have the kind. `tests/catalogue.rs` checks them.
//!
//! The table omits:
//!
//! - kinds in alpha and beta versions;
//! - targets that a supported version of Kubernetes lacks: `ResourceClaim` and its template,
//!   `VolumeAttributesClass`, `ClusterTrustBundle`;
//! - claims of ephemeral volumes, whose names are made of two names. Their Pod owns them;
//! - selectors of namespaces, and of Pods in other namespaces;
//! - references whose kind is not a field, such as those by resource (`IPAddress`).

use crate::ir::Gvk;
use crate::relation::{Relation, Verb};

/// Relation of a built-in kind.
#[derive(Clone, Copy)]
struct Row {
    verb: Verb,
    target: &'static str,
    /// Path to the names or to the selectors, in JSON spelling. Empty for an owner.
    path: &'static str,
    /// Field beside the name that has its namespace.
    namespace: Option<&'static str>,
    /// Field beside the name that has its kind.
    kind: Option<&'static str>,
}

/// Relations of each kind, apart from those of its Pods.
const KINDS: &[(&str, &[Row])] = &[
    (
        "v1/Endpoints",
        &[
            name(NODE, "subsets.addresses.nodeName"),
            name(NODE, "subsets.notReadyAddresses.nodeName"),
            name(POD, "subsets.addresses.targetRef.name")
                .namespace("namespace")
                .kind("kind"),
            name(POD, "subsets.notReadyAddresses.targetRef.name")
                .namespace("namespace")
                .kind("kind"),
        ],
    ),
    (
        "v1/Event",
        &[
            name(NODE, "involvedObject.name").kind("kind"),
            name(POD, "involvedObject.name")
                .namespace("namespace")
                .kind("kind"),
        ],
    ),
    (
        "v1/PersistentVolume",
        &[
            name(CLAIM, "spec.claimRef.name").namespace("namespace"),
            name(STORAGE_CLASS, "spec.storageClassName"),
            name(CSI_DRIVER, "spec.csi.driver"),
            name(SECRET, "spec.azureFile.secretName").namespace("secretNamespace"),
            name(SECRET, "spec.cephfs.secretRef.name").namespace("namespace"),
            name(SECRET, "spec.csi.controllerExpandSecretRef.name").namespace("namespace"),
            name(SECRET, "spec.csi.controllerPublishSecretRef.name").namespace("namespace"),
            name(SECRET, "spec.csi.nodeExpandSecretRef.name").namespace("namespace"),
            name(SECRET, "spec.csi.nodePublishSecretRef.name").namespace("namespace"),
            name(SECRET, "spec.csi.nodeStageSecretRef.name").namespace("namespace"),
            name(SECRET, "spec.flexVolume.secretRef.name").namespace("namespace"),
            name(SECRET, "spec.iscsi.secretRef.name").namespace("namespace"),
            name(SECRET, "spec.rbd.secretRef.name").namespace("namespace"),
            name(SECRET, "spec.scaleIO.secretRef.name").namespace("namespace"),
            name(SECRET, "spec.storageos.secretRef.name").namespace("namespace"),
        ],
    ),
    (
        "v1/PersistentVolumeClaim",
        &[
            name(VOLUME, "spec.volumeName"),
            name(STORAGE_CLASS, "spec.storageClassName"),
            name(CLAIM, "spec.dataSource.name").kind("kind"),
            name(CLAIM, "spec.dataSourceRef.name")
                .namespace("namespace")
                .kind("kind"),
        ],
    ),
    // The controller of ephemeral volumes makes the Pod the owner of their claims.
    ("v1/Pod", &[owns(CLAIM)]),
    (
        "v1/ReplicationController",
        &[owns(POD), selects(POD, "spec.selector")],
    ),
    (
        "v1/Service",
        &[
            owns("discovery.k8s.io/v1/EndpointSlice"),
            selects(POD, "spec.selector"),
        ],
    ),
    (
        "v1/ServiceAccount",
        &[
            name(SECRET, "imagePullSecrets.name"),
            name(SECRET, "secrets.name"),
        ],
    ),
    (
        "admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding",
        &[name(
            "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy",
            "spec.policyName",
        )],
    ),
    (
        "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
        &[name(SERVICE, "webhooks.clientConfig.service.name").namespace("namespace")],
    ),
    (
        "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding",
        &[name(
            "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy",
            "spec.policyName",
        )],
    ),
    (
        "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
        &[name(SERVICE, "webhooks.clientConfig.service.name").namespace("namespace")],
    ),
    (
        "apiextensions.k8s.io/v1/CustomResourceDefinition",
        &[
            name(SERVICE, "spec.conversion.webhook.clientConfig.service.name")
                .namespace("namespace"),
        ],
    ),
    (
        "apiregistration.k8s.io/v1/APIService",
        &[name(SERVICE, "spec.service.name").namespace("namespace")],
    ),
    (
        "apps/v1/DaemonSet",
        &[
            owns("apps/v1/ControllerRevision"),
            owns(POD),
            selects(POD, "spec.selector"),
        ],
    ),
    (
        DEPLOYMENT,
        &[owns(REPLICA_SET), selects(POD, "spec.selector")],
    ),
    (REPLICA_SET, &[owns(POD), selects(POD, "spec.selector")]),
    (
        STATEFUL_SET,
        &[
            owns("apps/v1/ControllerRevision"),
            owns(POD),
            name(SERVICE, "spec.serviceName"),
            name(
                STORAGE_CLASS,
                "spec.volumeClaimTemplates.spec.storageClassName",
            ),
            selects(POD, "spec.selector"),
        ],
    ),
    ("autoscaling/v1/HorizontalPodAutoscaler", SCALE_TARGET),
    ("autoscaling/v2/HorizontalPodAutoscaler", SCALE_TARGET),
    ("batch/v1/CronJob", &[owns("batch/v1/Job")]),
    ("batch/v1/Job", &[owns(POD), selects(POD, "spec.selector")]),
    (
        "discovery.k8s.io/v1/EndpointSlice",
        &[
            name(NODE, "endpoints.nodeName"),
            // The controller sets the label. Slices without an owner may have it too.
            name(SERVICE, "metadata.labels['kubernetes.io/service-name']"),
            name(POD, "endpoints.targetRef.name")
                .namespace("namespace")
                .kind("kind"),
        ],
    ),
    (
        "events.k8s.io/v1/Event",
        &[
            name(NODE, "regarding.name").kind("kind"),
            name(POD, "regarding.name")
                .namespace("namespace")
                .kind("kind"),
        ],
    ),
    (
        "flowcontrol.apiserver.k8s.io/v1/FlowSchema",
        &[
            name(
                "flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration",
                "spec.priorityLevelConfiguration.name",
            ),
            name(SERVICE_ACCOUNT, "spec.rules.subjects.serviceAccount.name").namespace("namespace"),
        ],
    ),
    (
        "networking.k8s.io/v1/Ingress",
        &[
            name("networking.k8s.io/v1/IngressClass", "spec.ingressClassName"),
            name(SECRET, "spec.tls.secretName"),
            name(SERVICE, "spec.defaultBackend.service.name"),
            name(SERVICE, "spec.rules.http.paths.backend.service.name"),
        ],
    ),
    (
        "networking.k8s.io/v1/NetworkPolicy",
        &[selects(POD, "spec.podSelector")],
    ),
    (
        "policy/v1/PodDisruptionBudget",
        &[selects(POD, "spec.selector")],
    ),
    (
        CLUSTER_ROLE,
        &[selects(
            CLUSTER_ROLE,
            "aggregationRule.clusterRoleSelectors",
        )],
    ),
    (
        "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
        &[name(CLUSTER_ROLE, "roleRef.name").kind("kind"), SUBJECTS],
    ),
    (
        "rbac.authorization.k8s.io/v1/RoleBinding",
        &[
            name(CLUSTER_ROLE, "roleRef.name").kind("kind"),
            name("rbac.authorization.k8s.io/v1/Role", "roleRef.name").kind("kind"),
            SUBJECTS,
        ],
    ),
    (
        "resource.k8s.io/v1/ResourceClaim",
        &[
            name(
                DEVICE_CLASS,
                "spec.devices.requests.exactly.deviceClassName",
            ),
            name(
                DEVICE_CLASS,
                "spec.devices.requests.firstAvailable.deviceClassName",
            ),
        ],
    ),
    (
        "resource.k8s.io/v1/ResourceClaimTemplate",
        &[
            name(
                DEVICE_CLASS,
                "spec.spec.devices.requests.exactly.deviceClassName",
            ),
            name(
                DEVICE_CLASS,
                "spec.spec.devices.requests.firstAvailable.deviceClassName",
            ),
        ],
    ),
    (
        "resource.k8s.io/v1/ResourceSlice",
        &[name(NODE, "spec.nodeName")],
    ),
    (
        "storage.k8s.io/v1/CSINode",
        &[
            name(CSI_DRIVER, "spec.drivers.name"),
            // A CSINode has the name of its Node.
            name(NODE, "metadata.name"),
        ],
    ),
    (
        "storage.k8s.io/v1/CSIStorageCapacity",
        &[name(STORAGE_CLASS, "storageClassName")],
    ),
    // Kubernetes requires that the driver of a volume and the provisioner of a class have the name
    // of their CSIDriver.
    (STORAGE_CLASS, &[name(CSI_DRIVER, "provisioner")]),
    (
        "storage.k8s.io/v1/VolumeAttachment",
        &[
            name(CSI_DRIVER, "spec.attacher"),
            name(NODE, "spec.nodeName"),
            name(VOLUME, "spec.source.persistentVolumeName"),
        ],
    ),
    (
        "storage.k8s.io/v1/VolumeAttributesClass",
        &[name(CSI_DRIVER, "driverName")],
    ),
];

/// Kinds with the path to their `PodSpec`.
const PODS: &[(&str, &str)] = &[
    (POD, "spec"),
    ("v1/PodTemplate", "template.spec"),
    ("v1/ReplicationController", "spec.template.spec"),
    ("apps/v1/DaemonSet", "spec.template.spec"),
    (DEPLOYMENT, "spec.template.spec"),
    (REPLICA_SET, "spec.template.spec"),
    (STATEFUL_SET, "spec.template.spec"),
    ("batch/v1/CronJob", "spec.jobTemplate.spec.template.spec"),
    ("batch/v1/Job", "spec.template.spec"),
];

/// Names in a `PodSpec`, by their kind, with paths from there.
const POD_SPEC: &[(&str, &[&str])] = &[
    (
        CONFIG_MAP,
        &[
            "containers.env.valueFrom.configMapKeyRef.name",
            "containers.envFrom.configMapRef.name",
            "ephemeralContainers.env.valueFrom.configMapKeyRef.name",
            "ephemeralContainers.envFrom.configMapRef.name",
            "initContainers.env.valueFrom.configMapKeyRef.name",
            "initContainers.envFrom.configMapRef.name",
            "volumes.configMap.name",
            "volumes.projected.sources.configMap.name",
        ],
    ),
    (CSI_DRIVER, &["volumes.csi.driver"]),
    (CLAIM, &["volumes.persistentVolumeClaim.claimName"]),
    (NODE, &["nodeName"]),
    ("scheduling.k8s.io/v1/PriorityClass", &["priorityClassName"]),
    ("node.k8s.io/v1/RuntimeClass", &["runtimeClassName"]),
    (
        SECRET,
        &[
            "containers.env.valueFrom.secretKeyRef.name",
            "containers.envFrom.secretRef.name",
            "ephemeralContainers.env.valueFrom.secretKeyRef.name",
            "ephemeralContainers.envFrom.secretRef.name",
            "imagePullSecrets.name",
            "initContainers.env.valueFrom.secretKeyRef.name",
            "initContainers.envFrom.secretRef.name",
            "volumes.azureFile.secretName",
            "volumes.cephfs.secretRef.name",
            "volumes.csi.nodePublishSecretRef.name",
            "volumes.flexVolume.secretRef.name",
            "volumes.iscsi.secretRef.name",
            "volumes.projected.sources.secret.name",
            "volumes.rbd.secretRef.name",
            "volumes.scaleIO.secretRef.name",
            "volumes.secret.secretName",
            "volumes.storageos.secretRef.name",
        ],
    ),
    (SERVICE_ACCOUNT, &["serviceAccountName"]),
];

/// Relations of both versions of `HorizontalPodAutoscaler`.
const SCALE_TARGET: &[Row] = &[
    name(DEPLOYMENT, "spec.scaleTargetRef.name").kind("kind"),
    name(REPLICA_SET, "spec.scaleTargetRef.name").kind("kind"),
    name("v1/ReplicationController", "spec.scaleTargetRef.name").kind("kind"),
    name(STATEFUL_SET, "spec.scaleTargetRef.name").kind("kind"),
];

/// Relation of bindings to the accounts among their subjects.
const SUBJECTS: Row = name(SERVICE_ACCOUNT, "subjects.name")
    .namespace("namespace")
    .kind("kind");

const CLAIM: &str = "v1/PersistentVolumeClaim";
const CLUSTER_ROLE: &str = "rbac.authorization.k8s.io/v1/ClusterRole";
const CONFIG_MAP: &str = "v1/ConfigMap";
const CSI_DRIVER: &str = "storage.k8s.io/v1/CSIDriver";
const DEPLOYMENT: &str = "apps/v1/Deployment";
const DEVICE_CLASS: &str = "resource.k8s.io/v1/DeviceClass";
const NODE: &str = "v1/Node";
const POD: &str = "v1/Pod";
const REPLICA_SET: &str = "apps/v1/ReplicaSet";
const SECRET: &str = "v1/Secret";
const SERVICE: &str = "v1/Service";
const SERVICE_ACCOUNT: &str = "v1/ServiceAccount";
const STATEFUL_SET: &str = "apps/v1/StatefulSet";
const STORAGE_CLASS: &str = "storage.k8s.io/v1/StorageClass";
const VOLUME: &str = "v1/PersistentVolume";

/// Returns the relations of a built-in kind.
pub(crate) fn relations(gvk: &Gvk) -> Vec<Relation> {
    let name = gvk.to_string();
    let of_kind = KINDS.iter().filter(|(kind, _)| *kind == name);
    let own = of_kind.flat_map(|(_, rows)| rows.iter().map(Row::relation));
    let pods = PODS.iter().filter(|(kind, _)| *kind == name);
    let of_pods = pods.flat_map(|(_, at)| {
        let targets = POD_SPEC.iter().map(|(target, _)| *target);
        targets.map(move |target| Relation {
            in_pod_spec: true,
            ..self::name(target, at).relation()
        })
    });
    own.chain(of_pods).collect()
}

/// Returns the kinds of which a `PodSpec` has names, each with the paths to them.
pub(crate) fn pod_spec() -> impl Iterator<Item = (Gvk, &'static [&'static str])> {
    let targets = POD_SPEC.iter();
    targets.filter_map(|(target, paths)| Some((Gvk::parse(target)?, *paths)))
}

// === impl Row ===

const fn owns(target: &'static str) -> Row {
    Row {
        verb: Verb::Owns,
        ..name(target, "")
    }
}

const fn selects(target: &'static str, path: &'static str) -> Row {
    Row {
        verb: Verb::Selects,
        ..name(target, path)
    }
}

const fn name(target: &'static str, path: &'static str) -> Row {
    Row {
        verb: Verb::References,
        target,
        path,
        namespace: None,
        kind: None,
    }
}

impl Row {
    const fn namespace(self, field: &'static str) -> Self {
        Self {
            namespace: Some(field),
            ..self
        }
    }

    const fn kind(self, field: &'static str) -> Self {
        Self {
            kind: Some(field),
            ..self
        }
    }

    fn relation(&self) -> Relation {
        let beside = |field: &str| match self.path.rsplit_once('.') {
            Some((parent, _)) => format!("{parent}.{field}"),
            None => field.to_owned(),
        };
        Relation {
            namespace: self.namespace.map(beside),
            kind: self.kind.map(beside),
            path: (!self.path.is_empty()).then(|| self.path.to_owned()),
            ..Relation::new(self.verb, self.target)
        }
    }
}

#[cfg(test)]
mod tests;
