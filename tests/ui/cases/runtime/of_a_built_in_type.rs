//! Paths into a type of k8s-openapi that end at values of another type: one error each, at the path.

use informer::Informer;
use k8s_openapi::api::core::v1::Pod;

#[derive(Informer)]
#[informer(of = Pod, accessor = "some_pods", scope = "Namespaced")]
#[informer(index = "spec.priority", index = "spec.containers.ports.containerPort")]
#[informer(index(path = "spec.containers", name = "by_it"), index = spec.host_network)]
#[informer(index = "metadata.deletionTimestamp")]
pub struct Pods;

fn main() {}
