use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub, index(name = "by_x", with = first), index(name = "by_y", with = nowhere))]
#[informer(index(name = "by_owner", with = owners))]
struct FooSpec {
    name: String,
}

fn first(foo: &Foo) -> Option<String> {
    Some(foo.spec.name.clone())
}

fn owners(_: &Foo) -> Vec<stub::ObjectKey> {
    Vec::new()
}

fn main() {}

