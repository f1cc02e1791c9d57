//! One error, not one for each name that is missing: the code that uses the informer is fine.

use informer_derive::Informer;
use stub::SharedInformerFactory;

#[derive(Informer)]
#[informer(crate = stub)]
struct FooSpec {
    name: String,
}

fn main() {
    let factory = SharedInformerFactory::default();
    let informer: FooInformer = factory.foos();
    let _: FooLister = informer.lister();
}
