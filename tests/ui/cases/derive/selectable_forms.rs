use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced, selectable = ".spec.name")]
#[kube(selectable = ".spec.ports[0]", selectable = "")]
#[informer(crate = stub)]
struct FooSpec {
    name: String,
}

fn main() {
    let _ = FooLookups::SPEC_NAME;
}
