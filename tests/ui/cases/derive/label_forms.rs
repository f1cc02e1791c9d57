use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced)]
#[informer(crate = stub)]
#[informer(index(label = "['app']"))]
#[informer(index(label = ""))]
#[informer(index(annotation = "two words"))]
#[informer(index(label = app))]
#[informer(label = "app")]
struct FooSpec {}

fn main() {}
