//! Every built-in kind, every field of it.

use k8s_openapi::Resource;
use k8s_openapi::api::*;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::super::{Refused, from_slice};
use super::generated::generate;

/// How many random objects there are of each kind, and how many damaged ones of each of these.
const OBJECTS: u64 = 4;
const DAMAGED: u64 = 16;

fn check<K: Resource + Serialize + DeserializeOwned>() {
    for seed in 0..OBJECTS {
        let object = generate::<K>(seed, (K::API_VERSION, K::KIND)).unwrap();
        let text = serde_json::to_vec(&object).unwrap();
        let ours = from_slice::<K>(&text).unwrap();
        let theirs = serde_json::from_slice::<K>(&text).unwrap();
        let theirs = serde_json::to_vec(&theirs).unwrap();
        assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}");
        let mut rng = fastrand::Rng::with_seed(seed);
        for _ in 0..DAMAGED {
            let mut text = text.clone();
            let at = rng.usize(..text.len());
            text[at] = rng.choice(*b"\"\\{}[],:0e-nt \x00\xff").unwrap();
            let theirs = serde_json::from_slice::<K>(&text);
            match (from_slice::<K>(&text), theirs) {
                (Ok(ours), Ok(theirs)) => {
                    let theirs = serde_json::to_vec(&theirs).unwrap();
                    assert!(serde_json::to_vec(&ours).unwrap() == theirs, "{seed}: {at}");
                }
                (Err(Refused), _) => {}
                (Ok(_), Err(error)) => panic!("{seed}: {at}: {error}"),
            }
        }
    }
}

macro_rules! kinds {
    ($($kind:ty),+ $(,)?) => {
        [$((stringify!($kind), check::<$kind> as fn())),+]
    };
}

/// W-12: of every kind that is served in a stable version.
#[test]
fn w12_every_built_in_kind_decodes_as_serde_json_decodes_it() {
    let kinds = kinds![
        admissionregistration::v1::MutatingAdmissionPolicy,
        admissionregistration::v1::MutatingAdmissionPolicyBinding,
        admissionregistration::v1::MutatingWebhookConfiguration,
        admissionregistration::v1::ValidatingAdmissionPolicy,
        admissionregistration::v1::ValidatingAdmissionPolicyBinding,
        admissionregistration::v1::ValidatingWebhookConfiguration,
        apiextensions::v1::CustomResourceDefinition,
        apps::v1::ControllerRevision,
        apps::v1::DaemonSet,
        apps::v1::Deployment,
        apps::v1::ReplicaSet,
        apps::v1::StatefulSet,
        autoscaling::v1::HorizontalPodAutoscaler,
        autoscaling::v2::HorizontalPodAutoscaler,
        batch::v1::CronJob,
        batch::v1::Job,
        certificates::v1::CertificateSigningRequest,
        certificates::v1::ClusterTrustBundle,
        certificates::v1::PodCertificateRequest,
        coordination::v1::Lease,
        core::v1::ConfigMap,
        core::v1::Endpoints,
        core::v1::Event,
        core::v1::LimitRange,
        core::v1::Namespace,
        core::v1::Node,
        core::v1::PersistentVolume,
        core::v1::PersistentVolumeClaim,
        core::v1::Pod,
        core::v1::PodTemplate,
        core::v1::ReplicationController,
        core::v1::ResourceQuota,
        core::v1::Secret,
        core::v1::Service,
        core::v1::ServiceAccount,
        discovery::v1::EndpointSlice,
        events::v1::Event,
        flowcontrol::v1::FlowSchema,
        flowcontrol::v1::PriorityLevelConfiguration,
        networking::v1::IPAddress,
        networking::v1::Ingress,
        networking::v1::IngressClass,
        networking::v1::NetworkPolicy,
        networking::v1::ServiceCIDR,
        node::v1::RuntimeClass,
        policy::v1::PodDisruptionBudget,
        rbac::v1::ClusterRole,
        rbac::v1::ClusterRoleBinding,
        rbac::v1::Role,
        rbac::v1::RoleBinding,
        resource::v1::DeviceClass,
        resource::v1::DeviceTaintRule,
        resource::v1::ResourceClaim,
        resource::v1::ResourceClaimTemplate,
        resource::v1::ResourceSlice,
        scheduling::v1::PriorityClass,
        storage::v1::CSIDriver,
        storage::v1::CSINode,
        storage::v1::CSIStorageCapacity,
        storage::v1::StorageClass,
        storage::v1::VolumeAttachment,
        storage::v1::VolumeAttributesClass,
        storagemigration::v1::StorageVersionMigration,
        apiregistration::v1::APIService,
    ];
    for (kind, check) in kinds {
        println!("{kind}");
        check();
    }
}
