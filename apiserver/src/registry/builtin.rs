//! The built-in kinds of Kubernetes 1.33 to 1.37: the union of what the five releases serve for listing, and
//! reviews.
//!
//! Generated once from the types of `k8s-openapi` 0.29; the order of groups is that of discovery's
//! documents, and the order of kinds is alphabetical.

/// The kinds of one group and version.
pub(crate) struct GroupVersion {
    /// API group, empty for the core group.
    pub(crate) group: &'static str,
    /// API version.
    pub(crate) version: &'static str,
    /// What it serves.
    pub(crate) kinds: &'static [BuiltIn],
}

/// One built-in kind.
pub(crate) struct BuiltIn {
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) short: &'static [&'static str],
    pub(crate) namespaced: bool,
    pub(crate) status: bool,
    pub(crate) offers: Offers,
}

/// What can be done with a kind at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offers {
    Everything,
    /// `get` and `list` only: `ComponentStatus`.
    Reads,
    /// `create` only, which stores nothing: reviews.
    Reviews,
}

const fn namespaced(kind: &'static str, plural: &'static str) -> BuiltIn {
    BuiltIn {
        kind,
        plural,
        short: &[],
        namespaced: true,
        status: false,
        offers: Offers::Everything,
    }
}

const fn cluster(kind: &'static str, plural: &'static str) -> BuiltIn {
    BuiltIn {
        namespaced: false,
        ..namespaced(kind, plural)
    }
}

impl BuiltIn {
    const fn short(mut self, names: &'static [&'static str]) -> Self {
        self.short = names;
        self
    }

    const fn with_status(mut self) -> Self {
        self.status = true;
        self
    }

    const fn read_only(mut self) -> Self {
        self.offers = Offers::Reads;
        self
    }

    const fn review(mut self) -> Self {
        self.offers = Offers::Reviews;
        self
    }
}

/// Every built-in group and version with its kinds.
pub(crate) const BUILT_IN: &[GroupVersion] = &[
    GroupVersion {
        group: "admissionregistration.k8s.io",
        version: "v1",
        kinds: &[
            cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
            cluster(
                "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybindings",
            ),
            cluster(
                "MutatingWebhookConfiguration",
                "mutatingwebhookconfigurations",
            ),
            cluster("ValidatingAdmissionPolicy", "validatingadmissionpolicies").with_status(),
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
        group: "admissionregistration.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("MutatingAdmissionPolicy", "mutatingadmissionpolicies"),
            cluster(
                "MutatingAdmissionPolicyBinding",
                "mutatingadmissionpolicybindings",
            ),
            cluster("ValidatingAdmissionPolicy", "validatingadmissionpolicies").with_status(),
            cluster(
                "ValidatingAdmissionPolicyBinding",
                "validatingadmissionpolicybindings",
            ),
        ],
    },
    GroupVersion {
        group: "internal.apiserver.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("StorageVersion", "storageversions").with_status()],
    },
    GroupVersion {
        group: "apps",
        version: "v1",
        kinds: &[
            namespaced("ControllerRevision", "controllerrevisions"),
            namespaced("DaemonSet", "daemonsets")
                .short(&["ds"])
                .with_status(),
            namespaced("Deployment", "deployments")
                .short(&["deploy"])
                .with_status(),
            namespaced("ReplicaSet", "replicasets")
                .short(&["rs"])
                .with_status(),
            namespaced("StatefulSet", "statefulsets")
                .short(&["sts"])
                .with_status(),
        ],
    },
    GroupVersion {
        group: "authentication.k8s.io",
        version: "v1",
        kinds: &[
            cluster("SelfSubjectReview", "selfsubjectreviews").review(),
            cluster("TokenReview", "tokenreviews").review(),
        ],
    },
    GroupVersion {
        group: "authorization.k8s.io",
        version: "v1",
        kinds: &[
            namespaced("LocalSubjectAccessReview", "localsubjectaccessreviews").review(),
            cluster("SelfSubjectAccessReview", "selfsubjectaccessreviews").review(),
            cluster("SelfSubjectRulesReview", "selfsubjectrulesreviews").review(),
            cluster("SubjectAccessReview", "subjectaccessreviews").review(),
        ],
    },
    GroupVersion {
        group: "autoscaling",
        version: "v1",
        kinds: &[
            namespaced("HorizontalPodAutoscaler", "horizontalpodautoscalers")
                .short(&["hpa"])
                .with_status(),
        ],
    },
    GroupVersion {
        group: "autoscaling",
        version: "v2",
        kinds: &[
            namespaced("HorizontalPodAutoscaler", "horizontalpodautoscalers")
                .short(&["hpa"])
                .with_status(),
        ],
    },
    GroupVersion {
        group: "batch",
        version: "v1",
        kinds: &[
            namespaced("CronJob", "cronjobs")
                .short(&["cj"])
                .with_status(),
            namespaced("Job", "jobs").with_status(),
        ],
    },
    GroupVersion {
        group: "certificates.k8s.io",
        version: "v1",
        kinds: &[
            cluster("CertificateSigningRequest", "certificatesigningrequests")
                .short(&["csr"])
                .with_status(),
            cluster("ClusterTrustBundle", "clustertrustbundles"),
            namespaced("PodCertificateRequest", "podcertificaterequests").with_status(),
        ],
    },
    GroupVersion {
        group: "certificates.k8s.io",
        version: "v1alpha1",
        kinds: &[
            cluster("ClusterTrustBundle", "clustertrustbundles"),
            namespaced("PodCertificateRequest", "podcertificaterequests").with_status(),
        ],
    },
    GroupVersion {
        group: "certificates.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("ClusterTrustBundle", "clustertrustbundles"),
            namespaced("PodCertificateRequest", "podcertificaterequests").with_status(),
        ],
    },
    GroupVersion {
        group: "coordination.k8s.io",
        version: "v1",
        kinds: &[namespaced("Lease", "leases")],
    },
    GroupVersion {
        group: "coordination.k8s.io",
        version: "v1alpha2",
        kinds: &[namespaced("LeaseCandidate", "leasecandidates")],
    },
    GroupVersion {
        group: "coordination.k8s.io",
        version: "v1beta1",
        kinds: &[namespaced("LeaseCandidate", "leasecandidates")],
    },
    GroupVersion {
        group: "",
        version: "v1",
        kinds: &[
            cluster("ComponentStatus", "componentstatuses")
                .short(&["cs"])
                .read_only(),
            namespaced("ConfigMap", "configmaps").short(&["cm"]),
            namespaced("Endpoints", "endpoints").short(&["ep"]),
            namespaced("Event", "events").short(&["ev"]),
            namespaced("LimitRange", "limitranges").short(&["limits"]),
            cluster("Namespace", "namespaces")
                .short(&["ns"])
                .with_status(),
            cluster("Node", "nodes").short(&["no"]).with_status(),
            cluster("PersistentVolume", "persistentvolumes")
                .short(&["pv"])
                .with_status(),
            namespaced("PersistentVolumeClaim", "persistentvolumeclaims")
                .short(&["pvc"])
                .with_status(),
            namespaced("Pod", "pods").short(&["po"]).with_status(),
            namespaced("PodTemplate", "podtemplates"),
            namespaced("ReplicationController", "replicationcontrollers")
                .short(&["rc"])
                .with_status(),
            namespaced("ResourceQuota", "resourcequotas")
                .short(&["quota"])
                .with_status(),
            namespaced("Secret", "secrets"),
            namespaced("Service", "services")
                .short(&["svc"])
                .with_status(),
            namespaced("ServiceAccount", "serviceaccounts").short(&["sa"]),
        ],
    },
    GroupVersion {
        group: "discovery.k8s.io",
        version: "v1",
        kinds: &[namespaced("EndpointSlice", "endpointslices")],
    },
    GroupVersion {
        group: "events.k8s.io",
        version: "v1",
        kinds: &[namespaced("Event", "events").short(&["ev"])],
    },
    GroupVersion {
        group: "flowcontrol.apiserver.k8s.io",
        version: "v1",
        kinds: &[
            cluster("FlowSchema", "flowschemas").with_status(),
            cluster("PriorityLevelConfiguration", "prioritylevelconfigurations").with_status(),
        ],
    },
    GroupVersion {
        group: "lifecycle.k8s.io",
        version: "v1alpha1",
        kinds: &[
            namespaced("Eviction", "evictions").with_status(),
            namespaced("EvictionRequest", "evictionrequests").with_status(),
        ],
    },
    GroupVersion {
        group: "networking.k8s.io",
        version: "v1",
        kinds: &[
            cluster("IPAddress", "ipaddresses").short(&["ip"]),
            namespaced("Ingress", "ingresses")
                .short(&["ing"])
                .with_status(),
            cluster("IngressClass", "ingressclasses"),
            namespaced("NetworkPolicy", "networkpolicies").short(&["netpol"]),
            cluster("ServiceCIDR", "servicecidrs").with_status(),
        ],
    },
    GroupVersion {
        group: "networking.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("IPAddress", "ipaddresses").short(&["ip"]),
            cluster("ServiceCIDR", "servicecidrs").with_status(),
        ],
    },
    GroupVersion {
        group: "node.k8s.io",
        version: "v1",
        kinds: &[cluster("RuntimeClass", "runtimeclasses")],
    },
    GroupVersion {
        group: "policy",
        version: "v1",
        kinds: &[namespaced("PodDisruptionBudget", "poddisruptionbudgets")
            .short(&["pdb"])
            .with_status()],
    },
    GroupVersion {
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
        group: "resource.k8s.io",
        version: "v1",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            cluster("DeviceTaintRule", "devicetaintrules").with_status(),
            namespaced("ResourceClaim", "resourceclaims").with_status(),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        group: "resource.k8s.io",
        version: "v1alpha3",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            cluster("DeviceTaintRule", "devicetaintrules").with_status(),
            namespaced("ResourceClaim", "resourceclaims").with_status(),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourcePoolStatusRequest", "resourcepoolstatusrequests").with_status(),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        group: "resource.k8s.io",
        version: "v1beta1",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            namespaced("ResourceClaim", "resourceclaims").with_status(),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        group: "resource.k8s.io",
        version: "v1beta2",
        kinds: &[
            cluster("DeviceClass", "deviceclasses"),
            cluster("DeviceTaintRule", "devicetaintrules").with_status(),
            namespaced("ResourceClaim", "resourceclaims").with_status(),
            namespaced("ResourceClaimTemplate", "resourceclaimtemplates"),
            cluster("ResourceSlice", "resourceslices"),
        ],
    },
    GroupVersion {
        group: "scheduling.k8s.io",
        version: "v1",
        kinds: &[cluster("PriorityClass", "priorityclasses").short(&["pc"])],
    },
    GroupVersion {
        group: "scheduling.k8s.io",
        version: "v1alpha1",
        kinds: &[namespaced("Workload", "workloads")],
    },
    GroupVersion {
        group: "scheduling.k8s.io",
        version: "v1alpha2",
        kinds: &[
            namespaced("PodGroup", "podgroups").with_status(),
            namespaced("Workload", "workloads"),
        ],
    },
    GroupVersion {
        group: "scheduling.k8s.io",
        version: "v1alpha3",
        kinds: &[
            namespaced("CompositePodGroup", "compositepodgroups").with_status(),
            namespaced("PodGroup", "podgroups").with_status(),
            namespaced("Workload", "workloads"),
        ],
    },
    GroupVersion {
        group: "scheduling.k8s.io",
        version: "v1beta1",
        kinds: &[
            namespaced("PodGroup", "podgroups").with_status(),
            namespaced("Workload", "workloads"),
        ],
    },
    GroupVersion {
        group: "storage.k8s.io",
        version: "v1",
        kinds: &[
            cluster("CSIDriver", "csidrivers"),
            cluster("CSINode", "csinodes").with_status(),
            namespaced("CSIStorageCapacity", "csistoragecapacities"),
            cluster("StorageClass", "storageclasses").short(&["sc"]),
            cluster("VolumeAttachment", "volumeattachments").with_status(),
            cluster("VolumeAttributesClass", "volumeattributesclasses").short(&["vac"]),
        ],
    },
    GroupVersion {
        group: "storage.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("VolumeAttributesClass", "volumeattributesclasses").short(&["vac"])],
    },
    GroupVersion {
        group: "storage.k8s.io",
        version: "v1beta1",
        kinds: &[cluster("VolumeAttributesClass", "volumeattributesclasses").short(&["vac"])],
    },
    GroupVersion {
        group: "storagemigration.k8s.io",
        version: "v1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").with_status()],
    },
    GroupVersion {
        group: "storagemigration.k8s.io",
        version: "v1alpha1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").with_status()],
    },
    GroupVersion {
        group: "storagemigration.k8s.io",
        version: "v1beta1",
        kinds: &[cluster("StorageVersionMigration", "storageversionmigrations").with_status()],
    },
    GroupVersion {
        group: "apiextensions.k8s.io",
        version: "v1",
        kinds: &[
            cluster("CustomResourceDefinition", "customresourcedefinitions")
                .short(&["crd", "crds"])
                .with_status(),
        ],
    },
    GroupVersion {
        group: "apiregistration.k8s.io",
        version: "v1",
        kinds: &[cluster("APIService", "apiservices").with_status()],
    },
];
