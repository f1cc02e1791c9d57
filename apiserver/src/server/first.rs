//! Objects that describe the server itself: the Service `kubernetes` in `default` and its
//! endpoints.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use serde_json::{Value, json};

use crate::control::Control;
use crate::status::ApiError;

/// Creates the objects of a server that listens on `address`.
pub(super) fn create_first(control: &Control, address: SocketAddr) -> Result<(), ApiError> {
    for object in objects(address) {
        control.load(object)?;
    }
    Ok(())
}

fn objects(address: SocketAddr) -> [Value; 3] {
    let port = address.port();
    let mut ip = address.ip();
    // Clients cannot connect to the unspecified address.
    if ip.is_unspecified() {
        ip = Ipv4Addr::LOCALHOST.into();
    }
    let (family, cluster_ip) = match ip {
        IpAddr::V4(_) => ("IPv4", "10.0.0.1"),
        IpAddr::V6(_) => ("IPv6", "fd00::1"),
    };
    let ports = json!([{ "name": "https", "port": port, "protocol": "TCP" }]);
    [
        json!({
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": metadata(&json!({ "component": "apiserver", "provider": "kubernetes" })),
            "spec": {
                "clusterIP": cluster_ip,
                "clusterIPs": [cluster_ip],
                "internalTrafficPolicy": "Cluster",
                "ipFamilies": [family],
                "ipFamilyPolicy": "SingleStack",
                "ports": [{
                    "name": "https",
                    "port": 443,
                    "protocol": "TCP",
                    "targetPort": port,
                }],
                "sessionAffinity": "None",
                "type": "ClusterIP",
            },
            "status": { "loadBalancer": {} },
        }),
        json!({
            "apiVersion": "v1",
            "kind": "Endpoints",
            "metadata": metadata(&json!({ "endpointslice.kubernetes.io/skip-mirror": "true" })),
            "subsets": [{
                "addresses": [{ "ip": ip }],
                "ports": ports,
            }],
        }),
        json!({
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": metadata(&json!({ "kubernetes.io/service-name": "kubernetes" })),
            "addressType": family,
            "endpoints": [{
                "addresses": [ip],
                "conditions": { "ready": true },
            }],
            "ports": ports,
        }),
    ]
}

fn metadata(labels: &Value) -> Value {
    json!({
        "name": "kubernetes",
        "namespace": "default",
        "labels": labels,
    })
}
