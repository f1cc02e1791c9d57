use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index(with = names), index(path = "spec.name", with = names), index())]
#[informer(index(name = "namespace", path = "spec.name"), index(name = "by-x", with = names))]
#[informer(index = "spec.ratio", index = "spec.map")]
struct FooSpec {
    name: String,
    ratio: Option<f64>,
    map: std::collections::BTreeMap<String, String>,
}

fn names(foo: &Foo) -> Vec<String> {
    vec![foo.spec.name.clone()]
}

fn main() {}

