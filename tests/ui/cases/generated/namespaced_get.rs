//! A namespaced kind used without a namespace.

use informer::SharedInformerFactory;
use informer::k8s::SharedInformerFactoryExt as _;

fn pod(factory: &SharedInformerFactory) {
    factory.core().v1().pods().lister().get("example");
}

fn main() {}
