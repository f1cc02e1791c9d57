//! A path through a type elsewhere is rustc's to check, at the path.

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
