//! A path in JSON spelling cannot lead into types whose serde names the macro cannot see.

use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Foo", namespaced, status = "Status")]
#[informer(crate = stub, index = "spec.template.title", index = "status.phase")]
struct FooSpec {
    template: Option<Template>,
}

/// With serde: `#[serde(rename = "title")] name` and `#[serde(rename = "name")] title`.
struct Template {
    name: String,
    title: String,
}

struct Status {
    phase: String,
}

fn main() {}
