//! Types as `kopium` writes them. `informer-gen` also reads this file.

use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
#[kube(group = "chaos-mesh.org", version = "v1alpha1", kind = "NetworkChaos")]
#[kube(plural = "networkchaos", namespaced)]
pub struct NetworkChaosSpec {
    pub action: String,
}

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
#[kube(
    group = "externaldns.k8s.io",
    version = "v1alpha1",
    kind = "DNSEndpoint",
    root = "DnsEndpoint",
    namespaced
)]
pub struct DnsEndpointSpec {
    pub endpoints: Option<Vec<DnsEndpointEndpoints>>,
}

#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DnsEndpointEndpoints {
    pub dns_name: Option<String>,
}

pub mod storage {
    use super::*;

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(
        group = "snapshot.storage.k8s.io",
        version = "v1",
        kind = "VolumeSnapshot",
        namespaced
    )]
    pub struct VolumeSnapshotSpec {
        pub source: String,
    }

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(group = "snapshot.example.com", version = "v1", kind = "Schedule")]
    pub struct ScheduleSpec {
        pub every: String,
    }
}

/// Names that generated code uses otherwise.
pub mod names {
    use super::*;

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(
        group = "names.example.com",
        version = "v1",
        kind = "Interface",
        namespaced
    )]
    pub struct InterfaceSpec {
        pub mtu: u32,
    }

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(
        group = "names.example.com",
        version = "v1",
        kind = "SharedInformerFactory"
    )]
    pub struct SharedInformerFactorySpec {
        pub line: String,
    }

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(
        group = "names.example.com",
        version = "v1",
        kind = "Lister",
        namespaced
    )]
    pub struct ListerSpec {
        pub side: String,
    }
}

/// Kinds that only this source defines. The plurals are kube-derive's.
pub mod source_only {
    use super::*;

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(
        group = "example.com",
        version = "v1",
        kind = "NetworkPolicy",
        singular = "netpolicy",
        namespaced
    )]
    pub struct NetworkPolicySpec {
        pub allow: Vec<String>,
    }

    #[derive(CustomResource, Serialize, Deserialize, Clone, Debug, PartialEq, JsonSchema)]
    #[kube(group = "example.com", version = "v1beta1", kind = "Mesh")]
    #[kube(deprecated = "example.com/v1beta1 Mesh goes away")]
    pub struct MeshSpec {
        pub nodes: u32,
    }
}
