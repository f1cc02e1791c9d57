//! Kinds that `k8s-openapi` 0.29 can list, in all of its Kubernetes versions.
//!
//! `tests/catalogue.rs` checks the table against the sources of that crate.

use super::{GroupVersion, cluster, namespaced};

pub(crate) const CATALOGUE: &[GroupVersion] = &[
    GroupVersion {
        module: "api::admissionregistration::v1",
        group: "admissionregistration.k8s.io",
        version: "v1",
        kinds: &[
            cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies").since(36),
            cluster(
                "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybindings",
            )
            .since(36),
            cluster(
                "MutatingWebhookConfiguration",
                "mutatingwebhookconfigurations",
            ),
            cluster("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
            cluster(
                "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybindings",
            ),
            cluster(
                "ValidatingWebhookConfiguration",
                "validatingwebhookconfigurations",
            ),
        ],
    },
    GroupVersion {
        module: "api::admissionregistration::v1alpha1",
        group: "admissionregistration.k8s.io",
        version: "v1alpha1",
        kinds: &[
            cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
            cluster(
                "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybindings",
            ),
        ],
    },
    GroupVersion {
        module: "api::admissionregistration::v1beta1",
        group: "admissionregistration.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies").since(34),
            cluster(
                "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybindings",
            )
            .since(34),
            cluster("ValidatingAdmissionPolicy", "validatingadmissionpolicies").only(33),
            cluster(
                "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybindings",
            )
            .only(33),
        ],
    },
    GroupVersion {
        module: "api::apiserverinternal::v1alpha1",
        group: "internal.apiserver.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("StorageVersion", "storageversions")],
    },
    GroupVersion {
        module: "api::apps::v1",
        group: "apps",
        version: "v1",
        kinds: &[
            namespaced("ControllerRevision", "controllerrevisions"),
            namespaced("DaemonSet", "daemonsets"),
            namespaced("Deployment", "deployments"),
            namespaced("ReplicaSet", "replicasets"),
            namespaced("StatefulSet", "statefulsets"),
        ],
    },
    GroupVersion {
        module: "api::autoscaling::v1",
        group: "autoscaling",
        version: "v1",
        kinds: &[namespaced(
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
        )],
    },
    GroupVersion {
        module: "api::autoscaling::v2",
        group: "autoscaling",
        version: "v2",
        kinds: &[namespaced(
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
        )],
    },
    GroupVersion {
        module: "api::batch::v1",
        group: "batch",
        version: "v1",
        kinds: &[namespaced("CronJob", "cronjobs"), namespaced("Job", "jobs")],
    },
    GroupVersion {
        module: "api::certificates::v1",
        group: "certificates.k8s.io",
        version: "v1",
        kinds: &[
            cluster("CertificateSigningRequest", "certificatesigningrequests"),
            cluster("ClusterTrustBundle", "clustertrustbundles").only(37),
            namespaced("PodCertificateRequest", "podcertificaterequests").only(37),
        ],
    },
    GroupVersion {
        module: "api::certificates::v1alpha1",
        group: "certificates.k8s.io",
        version: "v1alpha1",
        kinds: &[
            cluster("ClusterTrustBundle", "clustertrustbundles").until(36),
            namespaced("PodCertificateRequest", "podcertificaterequests").only(34),
        ],
    },
    GroupVersion {
        module: "api::certificates::v1beta1",
        group: "certificates.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("ClusterTrustBundle", "clustertrustbundles"),
            namespaced("PodCertificateRequest", "podcertificaterequests").since(35),
        ],
    },
    GroupVersion {
        module: "api::coordination::v1",
        group: "coordination.k8s.io",
        version: "v1",
        kinds: &[namespaced("Lease", "leases")],
    },
    GroupVersion {
        module: "api::coordination::v1alpha2",
        group: "coordination.k8s.io",
        version: "v1alpha2",
        kinds: &[namespaced("LeaseCandidate", "leasecandidates")],
    },
    GroupVersion {
        module: "api::coordination::v1beta1",
        group: "coordination.k8s.io",
        version: "v1beta1",
        kinds: &[namespaced("LeaseCandidate", "leasecandidates")],
    },
    GroupVersion {
        module: "api::core::v1",
        group: "",
        version: "v1",
        kinds: &[
            cluster("ComponentStatus", "componentstatuses")
                .unwatchable("its verbs are [get, list]"),
            namespaced("ConfigMap", "configmaps"),
            namespaced("Endpoints", "endpoints"),
            namespaced("Event", "events"),
            namespaced("LimitRange", "limitranges"),
            cluster("Namespace", "namespaces"),
            cluster("Node", "nodes"),
            cluster("PersistentVolume", "persistentvolumes"),
            namespaced("PersistentVolumeClaim", "persistentvolumeclaims"),
            namespaced("Pod", "pods"),
            namespaced("PodTemplate", "podtemplates"),
            namespaced("ReplicationController", "replicationcontrollers"),
            namespaced("ResourceQuota", "resourcequotas"),
            namespaced("Secret", "secrets"),
            namespaced("Service", "services"),
            namespaced("ServiceAccount", "serviceaccounts"),
        ],
    },
    GroupVersion {
        module: "api::discovery::v1",
        group: "discovery.k8s.io",
        version: "v1",
        kinds: &[namespaced("EndpointSlice", "endpointslices")],
    },
    GroupVersion {
        module: "api::events::v1",
        group: "events.k8s.io",
        version: "v1",
        kinds: &[namespaced("Event", "events")],
    },
    GroupVersion {
        module: "api::flowcontrol::v1",
        group: "flowcontrol.apiserver.k8s.io",
        version: "v1",
        kinds: &[
            cluster("FlowSchema", "flowschemas"),
            cluster("PriorityLevelConfiguration", "prioritylevelconfigurations"),
        ],
    },
    GroupVersion {
        module: "api::lifecycle::v1alpha1",
        group: "lifecycle.k8s.io",
        version: "v1alpha1",
        kinds: &[
            namespaced("Eviction", "evictions").only(37),
            namespaced("EvictionRequest", "evictionrequests").only(37),
        ],
    },
    GroupVersion {
        module: "api::networking::v1",
        group: "networking.k8s.io",
        version: "v1",
        kinds: &[
            cluster("IPAddress", "ipaddresses"),
            namespaced("Ingress", "ingresses"),
            cluster("IngressClass", "ingressclasses"),
            namespaced("NetworkPolicy", "networkpolicies"),
            cluster("ServiceCIDR", "servicecidrs"),
        ],
    },
    GroupVersion {
        module: "api::networking::v1beta1",
        group: "networking.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("IPAddress", "ipaddresses").until(36),
            cluster("ServiceCIDR", "servicecidrs").until(36),
        ],
    },
    GroupVersion {
        module: "api::node::v1",
        group: "node.k8s.io",
        version: "v1",
        kinds: &[cluster("RuntimeClass", "runtimeclasses")],
    },
    GroupVersion {
        module: "api::policy::v1",
        group: "policy",
        version: "v1",
        kinds: &[namespaced("PodDisruptionBudget", "poddisruptionbudgets")],
    },
    GroupVersion {
        module: "api::rbac::v1",
        group: "rbac.authorization.k8s.io",
        version: "v1",
        kinds: &[
            cluster("ClusterRole", "clusterroles"),
            cluster("ClusterRoleBinding", "clusterrolebindings"),
            namespaced("Role", "roles"),
            namespaced("RoleBinding", "rolebindings"),
        ],
    },
    GroupVersion {
        module: "api::resource::v1",
        group: "resource.k8s.io",
        version: "v1",
        kinds: &[
            cluster("DeviceClass", "deviceclasses").since(34),
            cluster("DeviceTaintRule", "devicetaintrules").only(37),
            namespaced("ResourceClaim", "resourceclaims").since(34),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates").since(34),
            cluster("ResourceSlice", "resourceslices").since(34),
        ],
    },
    GroupVersion {
        module: "api::resource::v1alpha3",
        group: "resource.k8s.io",
        version: "v1alpha3",
        kinds: &[
            cluster("DeviceClass", "deviceclasses").only(33),
            cluster("DeviceTaintRule", "devicetaintrules"),
            namespaced("ResourceClaim", "resourceclaims").only(33),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates").only(33),
            cluster("ResourcePoolStatusRequest", "resourcepoolstatusrequests").since(36),
            cluster("ResourceSlice", "resourceslices").only(33),
        ],
    },
    GroupVersion {
        module: "api::resource::v1beta1",
        group: "resource.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            namespaced("ResourceClaim", "resourceclaims"),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        module: "api::resource::v1beta2",
        group: "resource.k8s.io",
        version: "v1beta2",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            cluster("DeviceTaintRule", "devicetaintrules").since(36),
            namespaced("ResourceClaim", "resourceclaims"),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        module: "api::scheduling::v1",
        group: "scheduling.k8s.io",
        version: "v1",
        kinds: &[cluster("PriorityClass", "priorityclasses")],
    },
    GroupVersion {
        module: "api::scheduling::v1alpha1",
        group: "scheduling.k8s.io",
        version: "v1alpha1",
        kinds: &[namespaced("Workload", "workloads").only(35)],
    },
    GroupVersion {
        module: "api::scheduling::v1alpha2",
        group: "scheduling.k8s.io",
        version: "v1alpha2",
        kinds: &[
            namespaced("PodGroup", "podgroups").only(36),
            namespaced("Workload", "workloads").only(36),
        ],
    },
    GroupVersion {
        module: "api::scheduling::v1alpha3",
        group: "scheduling.k8s.io",
        version: "v1alpha3",
        kinds: &[
            namespaced("CompositePodGroup", "compositepodgroups").only(37),
            namespaced("PodGroup", "podgroups").only(37),
            namespaced("Workload", "workloads").only(37),
        ],
    },
    GroupVersion {
        module: "api::scheduling::v1beta1",
        group: "scheduling.k8s.io",
        version: "v1beta1",
        kinds: &[
            namespaced("PodGroup", "podgroups").only(37),
            namespaced("Workload", "workloads").only(37),
        ],
    },
    GroupVersion {
        module: "api::storage::v1",
        group: "storage.k8s.io",
        version: "v1",
        kinds: &[
            cluster("CSIDriver", "csidrivers"),
            cluster("CSINode", "csinodes"),
            namespaced("CSIStorageCapacity", "csistoragecapacities"),
            cluster("StorageClass", "storageclasses"),
            cluster("VolumeAttachment", "volumeattachments"),
            cluster("VolumeAttributesClass", "volumeattributesclasses").since(34),
        ],
    },
    GroupVersion {
        module: "api::storage::v1alpha1",
        group: "storage.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("VolumeAttributesClass", "volumeattributesclasses").until(34)],
    },
    GroupVersion {
        module: "api::storage::v1beta1",
        group: "storage.k8s.io",
        version: "v1beta1",
        kinds: &[cluster("VolumeAttributesClass", "volumeattributesclasses").until(36)],
    },
    GroupVersion {
        module: "api::storagemigration::v1",
        group: "storagemigration.k8s.io",
        version: "v1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").only(37)],
    },
    GroupVersion {
        module: "api::storagemigration::v1alpha1",
        group: "storagemigration.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").until(34)],
    },
    GroupVersion {
        module: "api::storagemigration::v1beta1",
        group: "storagemigration.k8s.io",
        version: "v1beta1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").since(35)],
    },
    GroupVersion {
        module: "apiextensions_apiserver::pkg::apis::apiextensions::v1",
        group: "apiextensions.k8s.io",
        version: "v1",
        kinds: &[cluster(
            "CustomResourceDefinition",
            "customresourcedefinitions",
        )],
    },
    GroupVersion {
        module: "kube_aggregator::pkg::apis::apiregistration::v1",
        group: "apiregistration.k8s.io",
        version: "v1",
        kinds: &[cluster("APIService", "apiservices")],
    },
];
