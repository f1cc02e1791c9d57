use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced, served = false, plural = "Foo.s")]
#[informer(crate = stub, scope = "Namespaced")]
struct FooSpec {}

mod twice {
    use super::*;

    #[derive(CustomResource, Informer)]
    #[kube(kind = "Bar", namespaced, derive = "Informer")]
    #[kube(attr = "informer(crate = stub, accessor = \"bars\", scope = \"Namespaced\")")]
    #[informer(crate = stub)]
    struct BarSpec {}
}

fn main() {}

