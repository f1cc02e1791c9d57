//! A root type that does not implement `Deserialize`.

use informer::Informer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Resource;
use kube::core::ObjectMeta;

#[derive(Resource, Informer, Clone, Debug)]
#[resource(inherit = ConfigMap)]
#[informer(accessor = "names", scope = "Namespaced")]
struct Name {
    metadata: ObjectMeta,
}

fn main() {}
