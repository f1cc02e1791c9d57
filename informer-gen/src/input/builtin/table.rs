//! Kinds that `k8s-openapi` 0.29 can list, in all of its Kubernetes versions.
//!
//! Each block has a group and version, its module in `k8s-openapi`, and its kinds: the kind, the
//! plural, the scope, and the minor versions of Kubernetes that have the kind, if not all have it
//! (`36-` from 1.36, `-34` up to 1.34), or the reason why it cannot be watched.
//!
//! `tests/catalogue.rs` checks the table against the sources of that crate.

pub(super) const TABLE: &str = "
admissionregistration.k8s.io/v1 api::admissionregistration::v1
MutatingAdmissionPolicy mutatingadmissionpolicies cluster 36-
MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster 36-
MutatingWebhookConfiguration mutatingwebhookconfigurations cluster
ValidatingAdmissionPolicy validatingadmissionpolicies cluster
ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster
ValidatingWebhookConfiguration validatingwebhookconfigurations cluster

admissionregistration.k8s.io/v1alpha1 api::admissionregistration::v1alpha1
MutatingAdmissionPolicy mutatingadmissionpolicies cluster
MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster

admissionregistration.k8s.io/v1beta1 api::admissionregistration::v1beta1
MutatingAdmissionPolicy mutatingadmissionpolicies cluster 34-
MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings cluster 34-
ValidatingAdmissionPolicy validatingadmissionpolicies cluster 33-33
ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings cluster 33-33

internal.apiserver.k8s.io/v1alpha1 api::apiserverinternal::v1alpha1
StorageVersion storageversions cluster

apps/v1 api::apps::v1
ControllerRevision controllerrevisions namespaced
DaemonSet daemonsets namespaced
Deployment deployments namespaced
ReplicaSet replicasets namespaced
StatefulSet statefulsets namespaced

autoscaling/v1 api::autoscaling::v1
HorizontalPodAutoscaler horizontalpodautoscalers namespaced

autoscaling/v2 api::autoscaling::v2
HorizontalPodAutoscaler horizontalpodautoscalers namespaced

batch/v1 api::batch::v1
CronJob cronjobs namespaced
Job jobs namespaced

certificates.k8s.io/v1 api::certificates::v1
CertificateSigningRequest certificatesigningrequests cluster
ClusterTrustBundle clustertrustbundles cluster 37-37
PodCertificateRequest podcertificaterequests namespaced 37-37

certificates.k8s.io/v1alpha1 api::certificates::v1alpha1
ClusterTrustBundle clustertrustbundles cluster -36
PodCertificateRequest podcertificaterequests namespaced 34-34

certificates.k8s.io/v1beta1 api::certificates::v1beta1
ClusterTrustBundle clustertrustbundles cluster
PodCertificateRequest podcertificaterequests namespaced 35-

coordination.k8s.io/v1 api::coordination::v1
Lease leases namespaced

coordination.k8s.io/v1alpha2 api::coordination::v1alpha2
LeaseCandidate leasecandidates namespaced

coordination.k8s.io/v1beta1 api::coordination::v1beta1
LeaseCandidate leasecandidates namespaced

v1 api::core::v1
ComponentStatus componentstatuses cluster its verbs are [get, list]
ConfigMap configmaps namespaced
Endpoints endpoints namespaced
Event events namespaced
LimitRange limitranges namespaced
Namespace namespaces cluster
Node nodes cluster
PersistentVolume persistentvolumes cluster
PersistentVolumeClaim persistentvolumeclaims namespaced
Pod pods namespaced
PodTemplate podtemplates namespaced
ReplicationController replicationcontrollers namespaced
ResourceQuota resourcequotas namespaced
Secret secrets namespaced
Service services namespaced
ServiceAccount serviceaccounts namespaced

discovery.k8s.io/v1 api::discovery::v1
EndpointSlice endpointslices namespaced

events.k8s.io/v1 api::events::v1
Event events namespaced

flowcontrol.apiserver.k8s.io/v1 api::flowcontrol::v1
FlowSchema flowschemas cluster
PriorityLevelConfiguration prioritylevelconfigurations cluster

lifecycle.k8s.io/v1alpha1 api::lifecycle::v1alpha1
Eviction evictions namespaced 37-37
EvictionRequest evictionrequests namespaced 37-37

networking.k8s.io/v1 api::networking::v1
IPAddress ipaddresses cluster
Ingress ingresses namespaced
IngressClass ingressclasses cluster
NetworkPolicy networkpolicies namespaced
ServiceCIDR servicecidrs cluster

networking.k8s.io/v1beta1 api::networking::v1beta1
IPAddress ipaddresses cluster -36
ServiceCIDR servicecidrs cluster -36

node.k8s.io/v1 api::node::v1
RuntimeClass runtimeclasses cluster

policy/v1 api::policy::v1
PodDisruptionBudget poddisruptionbudgets namespaced

rbac.authorization.k8s.io/v1 api::rbac::v1
ClusterRole clusterroles cluster
ClusterRoleBinding clusterrolebindings cluster
Role roles namespaced
RoleBinding rolebindings namespaced

resource.k8s.io/v1 api::resource::v1
DeviceClass deviceclasses cluster 34-
DeviceTaintRule devicetaintrules cluster 37-37
ResourceClaim resourceclaims namespaced 34-
ResourceClaimTemplate resourceclaimtemplates namespaced 34-
ResourceSlice resourceslices cluster 34-

resource.k8s.io/v1alpha3 api::resource::v1alpha3
DeviceClass deviceclasses cluster 33-33
DeviceTaintRule devicetaintrules cluster
ResourceClaim resourceclaims namespaced 33-33
ResourceClaimTemplate resourceclaimtemplates namespaced 33-33
ResourcePoolStatusRequest resourcepoolstatusrequests cluster 36-
ResourceSlice resourceslices cluster 33-33

resource.k8s.io/v1beta1 api::resource::v1beta1
DeviceClass deviceclasses cluster
ResourceClaim resourceclaims namespaced
ResourceClaimTemplate resourceclaimtemplates namespaced
ResourceSlice resourceslices cluster

resource.k8s.io/v1beta2 api::resource::v1beta2
DeviceClass deviceclasses cluster
DeviceTaintRule devicetaintrules cluster 36-
ResourceClaim resourceclaims namespaced
ResourceClaimTemplate resourceclaimtemplates namespaced
ResourceSlice resourceslices cluster

scheduling.k8s.io/v1 api::scheduling::v1
PriorityClass priorityclasses cluster

scheduling.k8s.io/v1alpha1 api::scheduling::v1alpha1
Workload workloads namespaced 35-35

scheduling.k8s.io/v1alpha2 api::scheduling::v1alpha2
PodGroup podgroups namespaced 36-36
Workload workloads namespaced 36-36

scheduling.k8s.io/v1alpha3 api::scheduling::v1alpha3
CompositePodGroup compositepodgroups namespaced 37-37
PodGroup podgroups namespaced 37-37
Workload workloads namespaced 37-37

scheduling.k8s.io/v1beta1 api::scheduling::v1beta1
PodGroup podgroups namespaced 37-37
Workload workloads namespaced 37-37

storage.k8s.io/v1 api::storage::v1
CSIDriver csidrivers cluster
CSINode csinodes cluster
CSIStorageCapacity csistoragecapacities namespaced
StorageClass storageclasses cluster
VolumeAttachment volumeattachments cluster
VolumeAttributesClass volumeattributesclasses cluster 34-

storage.k8s.io/v1alpha1 api::storage::v1alpha1
VolumeAttributesClass volumeattributesclasses cluster -34

storage.k8s.io/v1beta1 api::storage::v1beta1
VolumeAttributesClass volumeattributesclasses cluster -36

storagemigration.k8s.io/v1 api::storagemigration::v1
StorageVersionMigration storageversionmigrations cluster 37-37

storagemigration.k8s.io/v1alpha1 api::storagemigration::v1alpha1
StorageVersionMigration storageversionmigrations cluster -34

storagemigration.k8s.io/v1beta1 api::storagemigration::v1beta1
StorageVersionMigration storageversionmigrations cluster 35-

apiextensions.k8s.io/v1 apiextensions_apiserver::pkg::apis::apiextensions::v1
CustomResourceDefinition customresourcedefinitions cluster

apiregistration.k8s.io/v1 kube_aggregator::pkg::apis::apiregistration::v1
APIService apiservices cluster
";
