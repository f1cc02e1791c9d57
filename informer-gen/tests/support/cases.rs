//! Configurations whose output is checked in below `tests/golden`, and compiled in `tests/vendors`.

use informer_gen::{Config, Types};

/// Returns the name of each file with its configuration. `manifests` is the folder of the
/// manifests.
pub(crate) fn all(manifests: &str) -> Vec<(&'static str, Config)> {
    vec![("built_ins.rs", built_ins()), ("crds.rs", crds(manifests))]
}

/// Built-in kinds of several groups, with an index of each sort, and another path of the runtime.
fn built_ins() -> Config {
    Config::new()
        .built_in("apps/v1", "ControllerRevision")
        .built_in("core/v1", "Pod")
        .built_in("v1", "Node")
        .built_in("v1", "Service")
        .built_in("v1", "ConfigMap")
        .kind(
            "apps/v1/ControllerRevision",
            r#"index = "metadata.labels['app']""#,
        )
        .kind(
            "v1/Pod",
            r#"index = "spec.nodeName",
               index = "metadata.namespace",
               index = "spec.containers.image",
               index(path = "status.podIP", unique),
               index = "status.hostIPs.ip",
               index = "metadata.generation",
               index(label = "app", name = "by_application"),
               index(owner, name = "by_controller"),
               index(owner = apps/v1/ReplicaSet),
               index(path = "spec.containers.ports.containerPort", value = "i32"),
               index(name = "by_registry", with = crate::forms::registries)"#,
        )
        .kind(
            "core/v1/Node",
            r#"index = "metadata.annotations[\"example.com/pool\"]",
               index = "spec.podCIDRs",
               index = spec.provider_id"#,
        )
        .kind("v1/Service", r#"index = "spec.selector['app']""#)
        .kind("v1/Service", r#"index = spec.selector["tier"]"#)
        .kind("v1/ConfigMap", r#"index(path = "data['region']", unique)"#)
        .runtime_path("crate::forms::runtime")
        .visibility("pub(crate)")
}

/// Kinds of manifests, with names that Rust reserves.
fn crds(manifests: &str) -> Config {
    Config::new()
        .crd_manifests(
            &format!("{manifests}/foos.yaml"),
            Types::In("crate::forms::api"),
        )
        .crd_manifests(
            &format!("{manifests}/*.json"),
            Types::In("crate::forms::api"),
        )
        .kind(
            "example.com/v1beta1/Foo",
            "of = crate::forms::api::FooV1Beta1",
        )
        .kind(
            "example.com/v1/Foo",
            r#"index = spec.template.deployment_name,
               index = spec.template.r#type,
               index = "metadata.ownerReferences.kind",
               index(label = "app", unique),
               index = "metadata.name",
               index(owner),
               index(owner = apps/v1/Deployment, name = "by_deployment"),
               index(name = "by_port", with = crate::forms::api::ports, value = "u16"),
               owns(apps/v1/Deployment),
               references(v1/ConfigMap = spec.template.deployment_name)"#,
        )
}
