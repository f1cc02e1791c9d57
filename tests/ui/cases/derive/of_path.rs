//! rustc checks a path through a type elsewhere, and reports errors at the path.

use informer_derive::Informer;
use stub::{NamespaceScope, ObjectMeta};

struct Pod {
    metadata: ObjectMeta,
    node_name: String,
}

stub::resource!([] Pod, NamespaceScope, metadata);

#[derive(Informer)]
#[informer(of = Pod, accessor = "pods", scope = "Namespaced", crate = stub)]
#[informer(index = "nodeName", index = host_name)]
struct Pods;

fn main() {}
