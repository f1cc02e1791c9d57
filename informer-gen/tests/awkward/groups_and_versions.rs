//! 21 to 35: group, version and plural, which identify a kind.

use super::Row::Elsewhere;
use super::{manifests, options, source, with_options};
use crate::crd::{definition, served};

rows! {
    a21_the_core_group: options(|config, _| config.built_in("core/v1", "ConfigMap"));
    a22_built_in_groups_without_a_dot: options(|config, _| {
        config
            .built_in("apps/v1", "Deployment")
            .built_in("batch/v1", "Job")
            .built_in("policy/v1", "PodDisruptionBudget")
            .built_in("autoscaling/v2", "HorizontalPodAutoscaler")
    });
    a22_a_definition_whose_group_has_no_dot: manifests([definition("example", "Foo", "foos")]);
    a23_groups_with_one_first_label: manifests([
        definition("snapshot.storage.k8s.io", "VolumeSnapshot", "volumesnapshots"),
        definition("snapshot.example.com", "Schedule", "schedules"),
    ]);
    a23_built_in_and_defined_groups_with_one_first_label: with_options(
        [definition("policy.authorization.example.com", "Rule", "rules")],
        |config, _| config.built_in("policy/v1", "PodDisruptionBudget"),
    );
    a23_groups_with_one_first_label_and_a_name: with_options(
        [
            definition("example.com", "Foo", "foos"),
            definition("example.org", "Bar", "bars"),
        ],
        |config, _| config.group_name("example.org", "example_org"),
    );
    a24_groups_with_hyphens_and_digits: manifests([
        definition("cert-manager.io", "Certificate", "certificates"),
        definition("3scale.net", "Proxy", "proxies"),
        definition("k8s.cni.cncf.io", "Network", "networks"),
    ]);
    a25_a_group_named_like_a_method_of_the_factory: manifests([definition(
        "start.io", "Foo", "foos",
    )]);
    a25_a_group_named_like_another_method_of_the_factory: manifests([definition(
        "shutdown.example.com",
        "Foo",
        "foos",
    )]);
    a25_a_group_named_like_the_core_group: with_options(
        [definition("core.example.com", "Foo", "foos")],
        |config, _| config.built_in("v1", "Pod"),
    );
    a26_groups_that_are_keywords: manifests([
        definition("type.example.com", "Foo", "foos"),
        definition("async.dev", "Bar", "bars"),
        definition("self.dev", "Baz", "bazes"),
    ]);
    a27_one_kind_in_two_groups: options(|config, _| {
        config
            .built_in("v1", "Event")
            .built_in("events.k8s.io/v1", "Event")
    });
    a28_evictions_that_are_objects: options(|config, _| {
        config.built_in("lifecycle.k8s.io/v1alpha1", "Eviction")
    });
    a28_evictions_that_are_not: options(|config, _| config.built_in("policy/v1", "Eviction"));
    // No warning: a wrapper does not start a watch. Two watches exist only if both accessors are
    // called, whose names show the versions.
    a29_two_versions_of_the_same_objects: options(|config, _| {
        config
            .built_in("autoscaling/v1", "HorizontalPodAutoscaler")
            .built_in("autoscaling/v2", "HorizontalPodAutoscaler")
    });
    a30_versions_in_the_order_of_kubernetes: with_options(
        [served(
            "example.com",
            "Foo",
            "foos",
            &["foo1", "v1", "v10", "v1alpha1", "v2", "foo10", "v2beta2", "v1beta1"],
        )],
        |config, _| {
            let versions = ["foo1", "v1", "v10", "v1alpha1", "v2", "foo10", "v2beta2", "v1beta1"];
            versions.iter().fold(config, |config, version| {
                let of = format!("crate::{version}::Foo");
                config.kind(&format!("example.com/{version}/Foo"), &format!("of = {of}"))
            })
        },
    );
    a31_a_version_with_a_hyphen: manifests([served("example.com", "Foo", "foos", &["v1-beta"])]);
    a31_a_version_that_begins_with_a_digit: manifests([served(
        "example.com",
        "Foo",
        "foos",
        &["2024-01"],
    )]);
    a31_a_version_in_upper_case: manifests([served("example.com", "Foo", "foos", &["V1"])]);
    a32_one_kind_with_two_plurals: manifests([
        definition("example.com", "Foo", "foos"),
        definition("example.com", "Foo", "fooes"),
    ]);
    a32_one_plural_of_two_kinds: manifests([
        definition("example.com", "Foo", "foos"),
        definition("example.com", "Fo", "foos"),
    ]);
    a32_one_plural_of_two_kinds_with_other_accessors: with_options(
        [
            definition("example.com", "Foo", "foos"),
            definition("example.com", "Fo", "foos"),
        ],
        |config, _| config.kind("example.com/v1/Fo", r#"accessor = "fos""#),
    );
    a33_one_definition_twice: manifests([
        definition("example.com", "Foo", "foos"),
        definition("example.com", "Foo", "foos"),
    ]);
    a33_one_definition_twice_with_a_difference: manifests([
        definition("example.com", "Foo", "foos"),
        definition("example.com", "Foo", "foos").replace("Namespaced", "Cluster"),
    ]);
    a34_two_types_of_one_resource: Elsewhere(
        "tests/derive_kube.rs",
        "a_projection_is_an_informer_of_its_own",
        "the generator supports one type for a kind; the derive supports projections",
    );
    a35_a_group_in_upper_case: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"Example.com\", version = \"v1\", kind = \"Foo\")]
pub struct FooSpec {}
")]);
    a35_a_group_with_a_dot_at_its_end: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com.\", version = \"v1\", kind = \"Foo\")]
pub struct FooSpec {}
")]);
    a35_a_group_with_a_space: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \" example.com\", version = \"v1\", kind = \"Foo\")]
pub struct FooSpec {}
")]);
}
