//! One error only: the uses of the informer cause no further errors.

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
