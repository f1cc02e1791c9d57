//! Relations of the built-in kinds, from a table.
//!
//! The table has the fields by which the API defines a relation between stable kinds. The fields
//! exist in all versions of `k8s-openapi` that have the kind. The tests check them against the
//! sources of that crate.
//!
//! Some relations follow from a convention of Kubernetes:
//!
//! - the controller of ephemeral volumes makes the Pod the owner of their claims;
//! - a `CSINode` has the name of its Node;
//! - the driver of a volume and the provisioner of a class have the name of their `CSIDriver`;
//! - a label of an `EndpointSlice` names its Service, even if the slice has no owner.
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

/// Relations of each kind, apart from those of its Pods: the relation, the target, the path to the
/// names or to the selectors, and the fields beside a name that have its namespace and its kind.
const KINDS: &str = "
v1/Endpoints
references v1/Node subsets.addresses.nodeName
references v1/Node subsets.notReadyAddresses.nodeName
references v1/Pod subsets.addresses.targetRef.name namespace=namespace kind=kind
references v1/Pod subsets.notReadyAddresses.targetRef.name namespace=namespace kind=kind

v1/Event
references v1/Node involvedObject.name kind=kind
references v1/Pod involvedObject.name namespace=namespace kind=kind

v1/PersistentVolume
references v1/PersistentVolumeClaim spec.claimRef.name namespace=namespace
references storage.k8s.io/v1/StorageClass spec.storageClassName
references storage.k8s.io/v1/CSIDriver spec.csi.driver
references v1/Secret spec.azureFile.secretName namespace=secretNamespace
references v1/Secret spec.cephfs.secretRef.name namespace=namespace
references v1/Secret spec.csi.controllerExpandSecretRef.name namespace=namespace
references v1/Secret spec.csi.controllerPublishSecretRef.name namespace=namespace
references v1/Secret spec.csi.nodeExpandSecretRef.name namespace=namespace
references v1/Secret spec.csi.nodePublishSecretRef.name namespace=namespace
references v1/Secret spec.csi.nodeStageSecretRef.name namespace=namespace
references v1/Secret spec.flexVolume.secretRef.name namespace=namespace
references v1/Secret spec.iscsi.secretRef.name namespace=namespace
references v1/Secret spec.rbd.secretRef.name namespace=namespace
references v1/Secret spec.scaleIO.secretRef.name namespace=namespace
references v1/Secret spec.storageos.secretRef.name namespace=namespace

v1/PersistentVolumeClaim
references v1/PersistentVolume spec.volumeName
references storage.k8s.io/v1/StorageClass spec.storageClassName
references v1/PersistentVolumeClaim spec.dataSource.name kind=kind
references v1/PersistentVolumeClaim spec.dataSourceRef.name namespace=namespace kind=kind

v1/Pod
owns v1/PersistentVolumeClaim

v1/ReplicationController
owns v1/Pod
selects v1/Pod spec.selector

v1/Service
owns discovery.k8s.io/v1/EndpointSlice
selects v1/Pod spec.selector

v1/ServiceAccount
references v1/Secret imagePullSecrets.name
references v1/Secret secrets.name

admissionregistration.k8s.io/v1/MutatingAdmissionPolicyBinding
references admissionregistration.k8s.io/v1/MutatingAdmissionPolicy spec.policyName

admissionregistration.k8s.io/v1/MutatingWebhookConfiguration
references v1/Service webhooks.clientConfig.service.name namespace=namespace

admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding
references admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy spec.policyName

admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration
references v1/Service webhooks.clientConfig.service.name namespace=namespace

apiextensions.k8s.io/v1/CustomResourceDefinition
references v1/Service spec.conversion.webhook.clientConfig.service.name namespace=namespace

apiregistration.k8s.io/v1/APIService
references v1/Service spec.service.name namespace=namespace

apps/v1/DaemonSet
owns apps/v1/ControllerRevision
owns v1/Pod
selects v1/Pod spec.selector

apps/v1/Deployment
owns apps/v1/ReplicaSet
selects v1/Pod spec.selector

apps/v1/ReplicaSet
owns v1/Pod
selects v1/Pod spec.selector

apps/v1/StatefulSet
owns apps/v1/ControllerRevision
owns v1/Pod
references v1/Service spec.serviceName
references storage.k8s.io/v1/StorageClass spec.volumeClaimTemplates.spec.storageClassName
selects v1/Pod spec.selector

autoscaling/v1/HorizontalPodAutoscaler
references apps/v1/Deployment spec.scaleTargetRef.name kind=kind
references apps/v1/ReplicaSet spec.scaleTargetRef.name kind=kind
references v1/ReplicationController spec.scaleTargetRef.name kind=kind
references apps/v1/StatefulSet spec.scaleTargetRef.name kind=kind

autoscaling/v2/HorizontalPodAutoscaler
references apps/v1/Deployment spec.scaleTargetRef.name kind=kind
references apps/v1/ReplicaSet spec.scaleTargetRef.name kind=kind
references v1/ReplicationController spec.scaleTargetRef.name kind=kind
references apps/v1/StatefulSet spec.scaleTargetRef.name kind=kind

batch/v1/CronJob
owns batch/v1/Job

batch/v1/Job
owns v1/Pod
selects v1/Pod spec.selector

discovery.k8s.io/v1/EndpointSlice
references v1/Node endpoints.nodeName
references v1/Service metadata.labels['kubernetes.io/service-name']
references v1/Pod endpoints.targetRef.name namespace=namespace kind=kind

events.k8s.io/v1/Event
references v1/Node regarding.name kind=kind
references v1/Pod regarding.name namespace=namespace kind=kind

flowcontrol.apiserver.k8s.io/v1/FlowSchema
references flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration spec.priorityLevelConfiguration.name
references v1/ServiceAccount spec.rules.subjects.serviceAccount.name namespace=namespace

networking.k8s.io/v1/Ingress
references networking.k8s.io/v1/IngressClass spec.ingressClassName
references v1/Secret spec.tls.secretName
references v1/Service spec.defaultBackend.service.name
references v1/Service spec.rules.http.paths.backend.service.name

networking.k8s.io/v1/NetworkPolicy
selects v1/Pod spec.podSelector

policy/v1/PodDisruptionBudget
selects v1/Pod spec.selector

rbac.authorization.k8s.io/v1/ClusterRole
selects rbac.authorization.k8s.io/v1/ClusterRole aggregationRule.clusterRoleSelectors

rbac.authorization.k8s.io/v1/ClusterRoleBinding
references rbac.authorization.k8s.io/v1/ClusterRole roleRef.name kind=kind
references v1/ServiceAccount subjects.name namespace=namespace kind=kind

rbac.authorization.k8s.io/v1/RoleBinding
references rbac.authorization.k8s.io/v1/ClusterRole roleRef.name kind=kind
references rbac.authorization.k8s.io/v1/Role roleRef.name kind=kind
references v1/ServiceAccount subjects.name namespace=namespace kind=kind

resource.k8s.io/v1/ResourceClaim
references resource.k8s.io/v1/DeviceClass spec.devices.requests.exactly.deviceClassName
references resource.k8s.io/v1/DeviceClass spec.devices.requests.firstAvailable.deviceClassName

resource.k8s.io/v1/ResourceClaimTemplate
references resource.k8s.io/v1/DeviceClass spec.spec.devices.requests.exactly.deviceClassName
references resource.k8s.io/v1/DeviceClass spec.spec.devices.requests.firstAvailable.deviceClassName

resource.k8s.io/v1/ResourceSlice
references v1/Node spec.nodeName

storage.k8s.io/v1/CSINode
references storage.k8s.io/v1/CSIDriver spec.drivers.name
references v1/Node metadata.name

storage.k8s.io/v1/CSIStorageCapacity
references storage.k8s.io/v1/StorageClass storageClassName

storage.k8s.io/v1/StorageClass
references storage.k8s.io/v1/CSIDriver provisioner

storage.k8s.io/v1/VolumeAttachment
references storage.k8s.io/v1/CSIDriver spec.attacher
references v1/Node spec.nodeName
references v1/PersistentVolume spec.source.persistentVolumeName

storage.k8s.io/v1/VolumeAttributesClass
references storage.k8s.io/v1/CSIDriver driverName
";

/// Kinds with the path to their `PodSpec`.
const PODS: &[(&str, &str)] = &[
    ("v1/Pod", "spec"),
    ("v1/PodTemplate", "template.spec"),
    ("v1/ReplicationController", "spec.template.spec"),
    ("apps/v1/DaemonSet", "spec.template.spec"),
    ("apps/v1/Deployment", "spec.template.spec"),
    ("apps/v1/ReplicaSet", "spec.template.spec"),
    ("apps/v1/StatefulSet", "spec.template.spec"),
    ("batch/v1/CronJob", "spec.jobTemplate.spec.template.spec"),
    ("batch/v1/Job", "spec.template.spec"),
];

/// Names in a `PodSpec`, by their kind, with paths from there.
const POD_SPEC: &[(&str, &[&str])] = &[
    (
        "v1/ConfigMap",
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
    ("storage.k8s.io/v1/CSIDriver", &["volumes.csi.driver"]),
    (
        "v1/PersistentVolumeClaim",
        &["volumes.persistentVolumeClaim.claimName"],
    ),
    ("v1/Node", &["nodeName"]),
    ("scheduling.k8s.io/v1/PriorityClass", &["priorityClassName"]),
    ("node.k8s.io/v1/RuntimeClass", &["runtimeClassName"]),
    (
        "v1/Secret",
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
    ("v1/ServiceAccount", &["serviceAccountName"]),
];

/// Returns the relations of a built-in kind.
pub(crate) fn relations(gvk: &Gvk) -> Vec<Relation> {
    let name = gvk.to_string();
    let of_kind = kinds().filter(|(kind, _)| *kind == name);
    let own = of_kind.flat_map(|(_, rows)| rows.lines().filter_map(relation));
    let pods = PODS.iter().filter(|(kind, _)| *kind == name);
    let of_pods = pods.flat_map(|(_, at)| {
        POD_SPEC.iter().map(|(target, _)| Relation {
            in_pod_spec: true,
            path: Some((*at).to_owned()),
            ..Relation::new(Verb::References, target)
        })
    });
    own.chain(of_pods).collect()
}

/// Returns the kinds of which a `PodSpec` has names, each with the paths to them.
pub(crate) fn pod_spec() -> impl Iterator<Item = (Gvk, &'static [&'static str])> {
    let targets = POD_SPEC.iter();
    targets.filter_map(|(target, paths)| Some((Gvk::parse(target)?, *paths)))
}

/// Returns the kinds of the table with their rows.
fn kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    let kinds = KINDS.trim().split("\n\n");
    kinds.filter_map(|kind| kind.split_once('\n'))
}

/// Parses a row.
fn relation(row: &str) -> Option<Relation> {
    let mut words = row.split(' ');
    let (verb, target) = (words.next()?, words.next()?);
    let mut verbs = [Verb::Owns, Verb::References, Verb::Selects].into_iter();
    let verb = verbs.find(|known| known.name() == verb)?;
    let mut relation = Relation::new(verb, target);
    relation.path = words.next().map(str::to_owned);
    for word in words {
        let (setting, field) = word.split_once('=')?;
        let path = relation.sibling(field);
        relation.set(setting, &path).ok()?;
    }
    Some(relation)
}

#[cfg(test)]
mod tests;
