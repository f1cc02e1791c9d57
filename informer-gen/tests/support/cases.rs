//! Configurations whose output is checked in below `tests/golden`.

use informer_gen::{Config, Index, Reference};

/// Returns the name of each file with its configuration.
pub(crate) fn all() -> Vec<(&'static str, Config)> {
    vec![
        ("built_ins.rs", built_ins()),
        ("crds.rs", crds()),
        ("gates.rs", gates()),
        ("real.rs", real()),
    ]
}

/// Built-in kinds of several groups, with an index of each sort, and another path of the runtime.
fn built_ins() -> Config {
    Config::new()
        .built_in("apps/v1", "Deployment")
        .built_in("core/v1", "Pod")
        .built_in("v1", "Node")
        .built_in("v1", "Service")
        .built_in("v1", "ConfigMap")
        .index("apps/v1/Deployment", "metadata.labels['app']")
        .index("v1/Pod", "spec.nodeName")
        .index("v1/Pod", "metadata.namespace")
        .index("v1/Pod", "spec.containers.image")
        .index("core/v1/Node", "metadata.annotations[\"example.com/pool\"]")
        .index("v1/Pod", Index::path("status.podIP").unique())
        .index("v1/Pod", "status.hostIPs.ip")
        .index("v1/Node", "spec.podCIDRs")
        .index("v1/Node", Index::rust_path("spec.provider_id"))
        .index("v1/Pod", "metadata.generation")
        .index("v1/Pod", Index::label("app").named("by_application"))
        .index("v1/Pod", Index::owner().named("by_controller"))
        .index("v1/Pod", Index::owner_of("apps/v1/ReplicaSet"))
        .index(
            "v1/Pod",
            Index::path("spec.containers.ports.containerPort").value("i32"),
        )
        .index(
            "v1/Pod",
            Index::with("crate::registries").named("by_registry"),
        )
        .index("v1/Service", "spec.selector['app']")
        .index("v1/Service", Index::rust_path("spec.selector[\"tier\"]"))
        .index("v1/ConfigMap", Index::path("data['region']").unique())
        .runtime_path("crate::runtime")
        .visibility("pub(crate)")
}

/// Kinds of manifests, with names that Rust reserves.
fn crds() -> Config {
    Config::new()
        .crd_manifests("tests/manifests/foos.yaml")
        .types_in("crate::api")
        .crd_manifests("tests/manifests/*.json")
        .types_in("crate::api")
        .crd_type("example.com/v1beta1/Foo", "crate::api::FooV1Beta1")
        .index(
            "example.com/v1/Foo",
            Index::rust_path("spec.template.deployment_name"),
        )
        .index(
            "example.com/v1/Foo",
            Index::rust_path("spec.template.r#type"),
        )
        .index("example.com/v1/Foo", "metadata.ownerReferences.kind")
        .index("example.com/v1/Foo", Index::label("app").unique())
        .index("example.com/v1/Foo", "metadata.name")
        .index("example.com/v1/Foo", Index::owner())
        .index(
            "example.com/v1/Foo",
            Index::owner_of("apps/v1/Deployment").named("by_deployment"),
        )
        .index(
            "example.com/v1/Foo",
            Index::with("crate::api::ports")
                .named("by_port")
                .value("u16"),
        )
        .owns("example.com/v1/Foo", "apps/v1/Deployment")
        .references(
            "example.com/v1/Foo",
            Reference::to("v1/ConfigMap").rust_path("spec.template.deployment_name"),
        )
}

/// Kinds that some versions of Kubernetes lack. `v1_35` has none of the last group.
fn gates() -> Config {
    Config::new()
        .built_in("resource.k8s.io/v1", "DeviceClass")
        .built_in("resource.k8s.io/v1", "DeviceTaintRule")
        .built_in("certificates.k8s.io/v1alpha1", "PodCertificateRequest")
        .built_in(
            "storagemigration.k8s.io/v1alpha1",
            "StorageVersionMigration",
        )
        .built_in("storagemigration.k8s.io/v1", "StorageVersionMigration")
}

/// Manifests and types shaped like those of well-known projects. `tests/gen_real.rs` of the facade
/// compiles the output with the real types.
fn real() -> Config {
    Config::new()
        .crd_manifests("tests/manifests/real/*.yaml")
        .types_in("")
        .rust_source("../tests/gen_real/api.rs", "crate::api")
        .crd_type("k8s.cni.cncf.io/v1/NetworkAttachmentDefinition", "dynamic")
        .crd_type("cert-manager.io/v1/ClusterIssuer", "dynamic")
        .group_name("snapshot.example.com", "snapshot_schedules")
        .index(
            "k8s.cni.cncf.io/v1/NetworkAttachmentDefinition",
            "metadata.labels['team']",
        )
        .index("ClusterIssuer", "spec.acme.solvers.class")
        .index("ClusterIssuer", Index::path("spec.acme.retries").unique())
        .references(
            "ClusterIssuer",
            Reference::to("networking.k8s.io/v1/IngressClass").path("spec.acme.solvers.class"),
        )
        .index(
            "snapshot.example.com/v1/Schedule",
            Index::rust_path("spec.every"),
        )
}
