//! rustc checks types that the macro cannot see, and reports errors at the path.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced, status = "Status")]
#[informer(crate = stub, index = spec.template.prot, index = spec.template.port)]
#[informer(index = spec.template.name["a"], index = status.fase)]
struct FooSpec {
    template: Option<Template>,
}

struct Template {
    port: u16,
    name: String,
}

struct Status {
    phase: String,
}

fn main() {}

