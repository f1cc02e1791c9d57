//! The scope of a dynamic type is data: a lister of metadata is asked by another name.

use informer::Lister;
use kube::core::{DynamicObject, PartialObjectMeta};

fn metadata(lister: &Lister<PartialObjectMeta<DynamicObject>>) {
    lister.namespace("default");
    lister.get("example");
}

fn main() {}
