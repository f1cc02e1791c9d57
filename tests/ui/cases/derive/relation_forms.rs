//! Relations in a wrong form.

use informer_derive::Informer;
use stub::CustomResource;
use stub::k8s_openapi::api::apps::v1::Deployment;
use stub::k8s_openapi::api::core::v1::{Pod, Secret};

#[derive(CustomResource, Informer)]
#[kube(kind = "Owner", namespaced)]
#[informer(crate = stub, owns)]
#[informer(owns = Deployment, owns(), owns(&Deployment), owns("Deployment"))]
#[informer(owns(Deployment = spec.name), owns(Pod(accesor = "p")), owns(Secret("secrets")))]
struct OwnerSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Referrer", namespaced)]
#[informer(crate = stub, references = "spec.name")]
#[informer(references(Secret), references(Pod(accessor = "pods")), references(spec.name))]
#[informer(references(Deployment = ), references(Secret = Secret = spec.name))]
#[informer(references(Secret(path = "spec.name", ns = "spec.name", accessor = tls)))]
#[informer(references(Secret(path = "spec.nam", path = "spec.name", accessor = "a-b")),)]
#[informer(references(, Secret(kind = "spec.name"), stub::Secret<u8>))]
struct ReferrerSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Selector", namespaced)]
#[informer(crate = stub, selects, selects(Pod), selects(Secret(namespace = spec.name)))]
#[informer(refs(Secret = spec.name), own(Deployment), selector(Pod = spec.name))]
struct SelectorSpec {
    name: String,
}

fn main() {}
