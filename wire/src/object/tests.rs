use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{Node, Pod};
use kube::core::DynamicObject;

use super::*;

#[test]
fn a_type_gives_its_resource_and_its_url_path() {
    let pods = ResourceInfo::of::<Pod>(&()).unwrap();
    let nodes = ResourceInfo::of::<Node>(&()).unwrap();
    let deployments = ResourceInfo::of::<Deployment>(&()).unwrap();
    assert_eq!(pods.to_string(), "pods.v1");
    assert_eq!(deployments.to_string(), "deployments.v1.apps");
    assert_eq!(pods.url_path(None), "/api/v1/pods");
    assert_eq!(
        deployments.url_path(Some("a")),
        "/apis/apps/v1/namespaces/a/deployments"
    );
    assert_eq!(nodes.url_path(Some("a")), "/api/v1/nodes");
    assert_eq!(
        ResourceInfo::of::<DynamicObject>(&deployments.api_resource),
        None
    );
}
