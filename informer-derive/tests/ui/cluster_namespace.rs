use informer_derive::Informer;
use stub::CustomResource;

#[derive(CustomResource, Informer)]
#[kube(kind = "Zone")]
#[informer(crate = stub)]
struct ZoneSpec {}

fn main() {
    let factory = stub::SharedInformerFactory::default();
    factory.zones().lister().namespace("default");
}
