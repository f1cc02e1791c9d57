//! Paths that end at no index value, and values of another type: one error each, at the index.

use std::collections::BTreeMap;

use informer_derive::Informer;
use stub::CustomResource;

#[derive(Clone, Debug)]
struct IssuerRef {
    name: String,
    labels: BTreeMap<String, String>,
    inner: Inner,
    kind: Kind,
}

#[derive(Clone, Debug)]
struct Inner {
    name: String,
}

#[derive(Clone, Debug)]
enum Kind {
    A,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Struct", namespaced)]
#[informer(crate = stub, index = "spec.issuer_ref")]
struct StructSpec {
    issuer_ref: IssuerRef,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Enum", namespaced)]
#[informer(crate = stub, index = "spec.kind")]
struct EnumSpec {
    kind: Option<Kind>,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Deep", namespaced)]
#[informer(crate = stub, index = spec.issuer_ref.inner, index = spec.issuer_ref.labels, index = spec.issuer_ref.kind)]
struct DeepSpec {
    issuer_ref: IssuerRef,
}

#[derive(CustomResource, Informer)]
#[kube(kind = "Value", namespaced)]
#[informer(crate = stub, index(path = "spec.name", value = "i64"), index(path = spec.issuer_ref.name, name = "by_issuer", value = "i64"))]
struct ValueSpec {
    name: String,
    issuer_ref: IssuerRef,
}

fn main() {}
