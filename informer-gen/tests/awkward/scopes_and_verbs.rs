//! 36 to 43: scopes and verbs of kinds.

use super::Row::Elsewhere;
use super::{manifests, options, source_with};
use crate::crd::definition;

rows! {
    a36_both_scopes: manifests([
        definition("example.com", "Foo", "foos"),
        definition("example.com", "Zone", "zones").replace("Namespaced", "Cluster"),
    ]);
    a36_the_wrong_scope_does_not_compile: Elsewhere(
        "tests/ui/tests/ui.rs",
        "mistakes_are_explained",
        "only the real runtime and the real types have the bounds that rustc checks",
    );
    a37_a_scope_that_the_type_does_not_have: source_with(
        &[
            ("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Foo\")]
pub struct FooSpec {}
"),
            ("a.json", "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \
                \"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"foos.example.com\"}, \
                \"spec\": {\"group\": \"example.com\", \"scope\": \"Namespaced\", \
                \"names\": {\"kind\": \"Foo\", \"plural\": \"foos\"}, \
                \"versions\": [{\"name\": \"v1\", \"served\": true}]}}"),
        ],
        |config, place| config.rust_source(&format!("{place}api.rs"), "crate::api"),
    );
    a37_a_scope_that_a_mapped_type_does_not_have: Elsewhere(
        "runtime/src/private/identity.rs",
        "",
        "rustc checks a type whose source is not an input",
    );
    a38_an_unknown_scope: manifests([
        definition("example.com", "Foo", "foos").replace("Namespaced", "namespaced"),
    ]);
    a38_no_scope: manifests([
        definition("example.com", "Foo", "foos").replace("  scope: Namespaced\n", ""),
    ]);
    a39_a_factory_of_a_namespace: Elsewhere(
        "runtime/src/factory/tests/identity.rs",
        "f16_a_strict_namespace_refuses_cluster_scoped_resources",
        "the factory ignores or rejects it",
    );
    a40_component_status: options(|config, _| config.built_in("v1", "ComponentStatus"));
    a40_bindings: options(|config, _| config.built_in("v1", "Binding"));
    a40_token_reviews: options(|config, _| {
        config.built_in("authentication.k8s.io/v1", "TokenReview")
    });
    a40_scales: options(|config, _| config.built_in("autoscaling/v1", "Scale"));
    a40_status: options(|config, _| config.built_in("v1", "Status"));
    a41_dynamic_objects: Elsewhere(
        "tests/e2e/dynamic.rs",
        "m01_dynamic_and_metadata_informers_follow_by_gvr",
        "the factory has dynamic and metadata-only informers, which are not kinds",
    );
    a42_a_version_that_is_not_served: manifests([
        definition("example.com", "Foo", "foos").replace(
            "  - {name: v1, served: true}\n",
            "  - {name: v2, served: true}\n  - {name: v1, served: false}\n",
        ),
    ]);
    a42_a_deprecated_version: manifests([
        definition("example.com", "Foo", "foos").replace(
            "served: true",
            "served: true, deprecated: true, deprecationWarning: 'use \"v2\"\\n```\\nrm'",
        ),
    ]);
    a43_subresources: manifests([
        definition("example.com", "Foo", "foos").replace(
            "served: true",
            "served: true, subresources: {status: {}, scale: {specReplicasPath: .spec.replicas}}",
        ),
    ]);
}
