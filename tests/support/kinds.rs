//! The list of kinds.

/// Calls a function with each listable kind of the newest Kubernetes as its type parameter, and
/// returns the results.
macro_rules! of_each_kind {
    ($function:ident) => {
        of_each_kind! { $function:
            k8s_openapi::api::admissionregistration::v1 {
                MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration
                ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration
            }
            k8s_openapi::api::admissionregistration::v1alpha1 {
                MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
            }
            k8s_openapi::api::admissionregistration::v1beta1 {
                MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
            }
            k8s_openapi::api::apiserverinternal::v1alpha1 { StorageVersion }
            k8s_openapi::api::apps::v1 {
                ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet
            }
            k8s_openapi::api::autoscaling::v1 { HorizontalPodAutoscaler }
            k8s_openapi::api::autoscaling::v2 { HorizontalPodAutoscaler }
            k8s_openapi::api::batch::v1 { CronJob Job }
            k8s_openapi::api::certificates::v1 {
                CertificateSigningRequest ClusterTrustBundle PodCertificateRequest
            }
            k8s_openapi::api::certificates::v1beta1 { ClusterTrustBundle PodCertificateRequest }
            k8s_openapi::api::coordination::v1 { Lease }
            k8s_openapi::api::coordination::v1alpha2 { LeaseCandidate }
            k8s_openapi::api::coordination::v1beta1 { LeaseCandidate }
            k8s_openapi::api::core::v1 {
                ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume
                PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service
                ServiceAccount
            }
            k8s_openapi::api::discovery::v1 { EndpointSlice }
            k8s_openapi::api::events::v1 { Event }
            k8s_openapi::api::flowcontrol::v1 { FlowSchema PriorityLevelConfiguration }
            k8s_openapi::api::lifecycle::v1alpha1 { Eviction EvictionRequest }
            k8s_openapi::api::networking::v1 {
                Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR
            }
            k8s_openapi::api::node::v1 { RuntimeClass }
            k8s_openapi::api::policy::v1 { PodDisruptionBudget }
            k8s_openapi::api::rbac::v1 { ClusterRole ClusterRoleBinding Role RoleBinding }
            k8s_openapi::api::resource::v1 {
                DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice
            }
            k8s_openapi::api::resource::v1alpha3 { DeviceTaintRule ResourcePoolStatusRequest }
            k8s_openapi::api::resource::v1beta1 {
                DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice
            }
            k8s_openapi::api::resource::v1beta2 {
                DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice
            }
            k8s_openapi::api::scheduling::v1 { PriorityClass }
            k8s_openapi::api::scheduling::v1alpha3 { CompositePodGroup PodGroup Workload }
            k8s_openapi::api::scheduling::v1beta1 { PodGroup Workload }
            k8s_openapi::api::storage::v1 {
                CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment
                VolumeAttributesClass
            }
            k8s_openapi::api::storagemigration::v1 { StorageVersionMigration }
            k8s_openapi::api::storagemigration::v1beta1 { StorageVersionMigration }
            k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 {
                CustomResourceDefinition
            }
            k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1 { APIService }
        }
    };
    ($function:ident: $($module:path { $($kind:ident)* })*) => {{
        let mut all = Vec::new();
        $({
            use $module as module;
            all.extend([$($function::<module::$kind>()),*]);
        })*
        all
    }};
}
