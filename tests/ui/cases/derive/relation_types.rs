//! Mistakes in relations that only rustc can see: one error each.

use informer_derive::Informer;
use stub::CustomResource;
use stub::k8s_openapi::api::core::v1::{LocalObjectReference, Node, Pod, Secret};

#[derive(Clone, Debug)]
struct Tls {
    secret_name: String,
    secret: LocalObjectReference,
    port: u16,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Name", namespaced)]
#[informer(crate = stub, references(Secret = spec.tls.port, Node = spec.tls.secret))]
struct NameSpec {
    tls: Option<Tls>,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Field", namespaced)]
#[informer(crate = stub, references(Secret = spec.tls.secret_nam, Node = "spec.tls.secretName"))]
struct FieldSpec {
    tls: Option<Tls>,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Target", namespaced)]
#[informer(crate = stub, owns(Tls))]
struct TargetSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Mention", namespaced)]
#[informer(crate = stub, references(Tls = spec.name))]
struct MentionSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Zone")]
#[informer(crate = stub, references(Node = spec.name, Secret = spec.name))]
struct ZoneSpec {
    name: String,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Selector", namespaced)]
#[informer(crate = stub, selects(Pod = spec.tls))]
struct SelectorSpec {
    tls: Tls,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Owner", namespaced)]
#[informer(crate = stub, owns(Secret))]
struct OwnerSpec {
    name: String,
}

fn undeclared(factory: &stub::SharedInformerFactory) {
    let _ = factory.owners().owned::<Pod, _>(factory);
}

fn main() {}
