//! Every built-in kind that supports list and watch, with operations on its Rust type.

use std::fmt::Debug;
use std::sync::Arc;

use informer::source::RawObject;
use informer::{GenericInformer, Object, ObjectKey, ResourceInfo, SharedInformer};

/// Kind without its type parameter.
pub(crate) struct Kind {
    pub(crate) resource: ResourceInfo,
    pub(crate) compare: Compare,
}

/// Compares the objects under a key in the informers of the type with the objects that the bytes
/// decode to. Returns the first difference. Only the bytes are decoded here.
pub(crate) type Compare = fn(&ObjectKey, &[GenericInformer], &[RawObject]) -> Result<(), String>;

fn kind<K: Object<DynamicType = ()> + PartialEq + Debug>() -> Kind {
    Kind {
        resource: ResourceInfo::of::<K>(&()).expect("kinds have a scope"),
        compare: compare::<K>,
    }
}

fn compare<K: Object + PartialEq + Debug>(
    key: &ObjectKey,
    informers: &[GenericInformer],
    raw: &[RawObject],
) -> Result<(), String> {
    let mut objects = Vec::new();
    for informer in informers {
        let informer: SharedInformer<K> = informer.typed().expect("an informer of the type");
        let object = informer.lister().get_by_key(key);
        objects.push(object.ok_or_else(|| format!("not in the cache of {}", informer.name()))?);
    }
    for raw in raw {
        let object = raw.decode::<K>();
        objects.push(Arc::new(
            object.map_err(|error| format!("{}: {error}", raw.encoding()))?,
        ));
    }
    match objects.windows(2).find(|two| two[0] != two[1]) {
        None => Ok(()),
        Some(two) => Err(format!("{:?}\nis not\n{:?}", two[0], two[1])),
    }
}

/// Creates a table of the types in these modules.
macro_rules! kinds {
    ($($module:path: { $($kind:ident)* })*) => {
        pub(crate) fn all() -> Vec<Kind> {
            let mut kinds = Vec::new();
            $({
                use $module as module;
                kinds.extend([$(kind::<module::$kind>()),*]);
            })*
            kinds
        }
    };
}

kinds! {
    k8s_openapi::api::admissionregistration::v1: {
        MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration
        ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration
    }
    k8s_openapi::api::admissionregistration::v1alpha1: {
        MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
    }
    k8s_openapi::api::admissionregistration::v1beta1: {
        MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
    }
    k8s_openapi::api::apiserverinternal::v1alpha1: {
        StorageVersion
    }
    k8s_openapi::api::apps::v1: {
        ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet
    }
    k8s_openapi::api::autoscaling::v1: {
        HorizontalPodAutoscaler
    }
    k8s_openapi::api::autoscaling::v2: {
        HorizontalPodAutoscaler
    }
    k8s_openapi::api::batch::v1: {
        CronJob Job
    }
    k8s_openapi::api::certificates::v1: {
        CertificateSigningRequest ClusterTrustBundle PodCertificateRequest
    }
    k8s_openapi::api::certificates::v1beta1: {
        ClusterTrustBundle PodCertificateRequest
    }
    k8s_openapi::api::coordination::v1: {
        Lease
    }
    k8s_openapi::api::coordination::v1alpha2: {
        LeaseCandidate
    }
    k8s_openapi::api::coordination::v1beta1: {
        LeaseCandidate
    }
    k8s_openapi::api::core::v1: {
        ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume
        PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service
        ServiceAccount
    }
    k8s_openapi::api::discovery::v1: {
        EndpointSlice
    }
    k8s_openapi::api::events::v1: {
        Event
    }
    k8s_openapi::api::flowcontrol::v1: {
        FlowSchema PriorityLevelConfiguration
    }
    k8s_openapi::api::lifecycle::v1alpha1: {
        Eviction EvictionRequest
    }
    k8s_openapi::api::networking::v1: {
        Ingress IngressClass IPAddress NetworkPolicy ServiceCIDR
    }
    k8s_openapi::api::node::v1: {
        RuntimeClass
    }
    k8s_openapi::api::policy::v1: {
        PodDisruptionBudget
    }
    k8s_openapi::api::rbac::v1: {
        ClusterRole ClusterRoleBinding Role RoleBinding
    }
    k8s_openapi::api::resource::v1: {
        DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice
    }
    k8s_openapi::api::resource::v1alpha3: {
        DeviceTaintRule ResourcePoolStatusRequest
    }
    k8s_openapi::api::resource::v1beta1: {
        DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice
    }
    k8s_openapi::api::resource::v1beta2: {
        DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice
    }
    k8s_openapi::api::scheduling::v1: {
        PriorityClass
    }
    k8s_openapi::api::scheduling::v1alpha3: {
        CompositePodGroup PodGroup Workload
    }
    k8s_openapi::api::scheduling::v1beta1: {
        PodGroup Workload
    }
    k8s_openapi::api::storage::v1: {
        CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass
    }
    k8s_openapi::api::storagemigration::v1: {
        StorageVersionMigration
    }
    k8s_openapi::api::storagemigration::v1beta1: {
        StorageVersionMigration
    }
    k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1: {
        CustomResourceDefinition
    }
    k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1: {
        APIService
    }
}
