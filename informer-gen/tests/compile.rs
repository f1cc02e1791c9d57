//! The facade's module of built-in kinds compiles without warnings under strict lints, and works.
//! `vendors/src/forms.rs` does the same for code of each other form.
//!
//! This crate names itself `informer`, as the facade does. The tests fill its informers directly.

#![deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#![deny(
    unused_qualifications,
    clippy::all,
    clippy::pedantic,
    clippy::allow_attributes
)]

extern crate self as informer;

pub use informer_controller::{private as __private, relations};
pub use informer_runtime::{
    GenericInformer, GroupVersionResource, InformerOptions, Lister, MakeInformers, ObjectKey,
    ResourceInfo, SharedInformer, SharedInformerFactory, Snapshot, Storage, Typed,
};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{PersistentVolume, Pod, Service};
use k8s_openapi::api::discovery::v1::EndpointSlice;
use serde::de::DeserializeOwned;
use serde_json::Value;
use stub::SharedInformerFactory as Filled;
pub use stub::{advanced, index};

/// The facade's module, from its place in the facade. This crate has none of the facade's features.
#[rustfmt::skip]
#[path = "../../src/k8s"]
#[expect(unexpected_cfgs, reason = "alpha and beta kinds need features of the facade")]
pub mod facade {
    pub mod generated;
}

#[test]
fn built_in_kinds_are_reached_by_group_and_version() {
    use facade::generated::SharedInformerFactoryExt as _;
    let factory = Filled::default().with_all([Deployment::default()]);
    let deployments = factory.apps().v1().deployments();
    assert_eq!(deployments.lister().len(), 1);
    assert_eq!(deployments.lister().namespace("web").namespace(), "web");
    assert!(
        factory
            .networking()
            .v1()
            .network_policies()
            .lister()
            .is_empty()
    );
}

/// Returns the resource of the informer that `for_resource` finds.
#[expect(clippy::unwrap_used, reason = "a failing helper fails the test")]
fn found(group: &str, version: &str, resource: &str) -> Option<String> {
    let resource = GroupVersionResource::new(group, version, resource);
    let config = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
    let client = informer_runtime::connect(config).unwrap();
    let factory = SharedInformerFactory::builder(client).build().unwrap();
    let found = facade::generated::for_resource(&factory, &resource);
    found.map(|informer| informer.resource().api_resource.kind.clone())
}

/// G1, G2: client-go finds `ingresses` by the name `ingresss` in places, and has an informer of
/// `componentstatuses`, which cannot be watched.
#[tokio::test]
async fn g1_g2_informers_are_found_by_the_exact_name_of_their_resource() {
    let kind = Some("Ingress".to_owned());
    assert_eq!(found("networking.k8s.io", "v1", "ingresses"), kind);
    for (group, version, resource, kind) in [
        ("networking.k8s.io", "v1", "ingresss", None),
        ("", "v1", "pods", Some("Pod")),
        ("", "v1", "endpoints", Some("Endpoints")),
        ("", "v1", "componentstatuses", None),
        ("apps", "v1", "pods", None),
        ("apps", "v2", "deployments", None),
    ] {
        let found = found(group, version, resource);
        assert_eq!(found.as_deref(), kind, "{group}/{version} {resource}");
    }
}

/// The relations of the API are there without configuration.
#[test]
fn built_in_kinds_are_found_by_the_objects_that_they_relate_to() {
    use facade::generated::SharedInformerFactoryExt as _;

    fn of<K: kube::Resource<DynamicType = ()> + DeserializeOwned>(objects: &[Value]) -> Vec<K> {
        let of_kind = objects.iter().filter(|one| one["kind"] == *K::kind(&()));
        of_kind
            .map(|object| serde_json::from_value(object.clone()).unwrap())
            .collect()
    }
    fn names<K: kube::Resource>(objects: &[std::sync::Arc<K>]) -> Vec<&str> {
        let names = objects.iter().map(|object| object.meta().name.as_deref());
        names.map(Option::unwrap_or_default).collect()
    }
    let objects = informer_manifest::parse(include_str!("compile.yaml")).unwrap();
    let pods = of::<Pod>(&objects);
    let factory = Filled::default()
        .with_all(pods.clone())
        .with_all(of::<Deployment>(&objects))
        .with_all(of::<Service>(&objects))
        .with_all(of::<EndpointSlice>(&objects))
        .with_all(of::<PersistentVolume>(&objects));
    let key = |name: &str| ObjectKey::namespaced("n", name);
    let lister = factory.core().v1().pods().lister();
    assert_eq!(names(&lister.by_secret(&key("token"))), ["a", "b"]);
    assert_eq!(names(&lister.by_secret(&key("other"))), [""; 0]);
    assert_eq!(names(&lister.by_node(&ObjectKey::cluster("one"))), ["a"]);
    let deployments = factory.apps().v1().deployments().lister();
    assert_eq!(names(&deployments.by_secret(&key("token"))), ["d"]);
    let services = factory.core().v1().services().lister();
    assert_eq!(names(&services.selecting(&pods[2])), ["web"]);
    assert_eq!(names(&services.selecting(&pods[0])), [""; 0]);
    let slices = factory.discovery().v1().endpoint_slices().lister();
    assert_eq!(names(&slices.by_pod(&key("a"))), ["pod"], "by kind");
    let volumes = factory.core().v1().persistent_volumes().lister();
    let claim = ObjectKey::namespaced("m", "data");
    assert_eq!(names(&volumes.by_persistent_volume_claim(&claim)), ["v"]);
}

#[test]
fn kinds_of_the_enabled_version_are_there() {
    let factory = Filled::default();
    let of_devices = facade::generated::SharedInformerFactoryExt::resource(&factory);
    let _rules = of_devices.v1().device_taint_rules();
    let migrations = facade::generated::SharedInformerFactoryExt::storagemigration(&factory);
    let _migrations = migrations.v1().storage_version_migrations();
}
