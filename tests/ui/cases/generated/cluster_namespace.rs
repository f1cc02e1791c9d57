//! A cluster-scoped kind used with a namespace.

use informer::SharedInformerFactory;
use informer::k8s::SharedInformerFactoryExt as _;

fn node(factory: &SharedInformerFactory) {
    factory.core().v1().nodes().lister().namespace("default");
}

fn main() {}
