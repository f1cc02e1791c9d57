//! The scope of a dynamic type is data, so a lister of metadata has another method.

use informer::Lister;
use kube::core::{DynamicObject, PartialObjectMeta};

fn metadata(lister: &Lister<PartialObjectMeta<DynamicObject>>) {
    lister.namespace("default");
    lister.get("example");
}

fn main() {}
