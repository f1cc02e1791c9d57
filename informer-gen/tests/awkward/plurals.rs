//! 14 to 20: plurals, which are never guessed.

use super::Row::Elsewhere;
use super::{manifests, options, source, source_with, with_options};
use crate::crd::definition;

rows! {
    a14_the_plurals_of_built_in_kinds: options(|config, _| {
        [
            ("v1", "Endpoints"),
            ("networking.k8s.io/v1", "Ingress"),
            ("networking.k8s.io/v1", "NetworkPolicy"),
            ("networking.k8s.io/v1", "IPAddress"),
            ("storage.k8s.io/v1", "CSIStorageCapacity"),
            ("storage.k8s.io/v1", "StorageClass"),
        ]
        .iter()
        .fold(config, |config, (version, kind)| config.built_in(version, kind))
    });
    a14_the_plural_of_component_status: Elsewhere(
        "informer-gen/tests/upstream.rs",
        "g2_component_status_has_no_informer",
        "the kind cannot be watched and has no accessor",
    );
    a15_words_of_the_kind_in_the_plural: manifests([
        definition("example.com", "PodDisruptionBudget", "poddisruptionbudgets"),
        definition("example.com", "NetworkPolicy", "networkpolicies"),
        definition("example.com", "NodeMetrics", "nodes"),
    ]);
    a15_all_accessors: Elsewhere(
        "informer-gen/tests/catalogue.rs",
        "accessors_are_golden",
        "one file lists all built-in kinds",
    );
    a16_a_plural_that_is_the_singular: manifests([definition(
        "chaos-mesh.org",
        "NetworkChaos",
        "networkchaos",
    )]);
    a17_a_plural_of_another_word: manifests([definition("usage.example.com", "PodMetrics", "pods")]);
    a17_a_plural_that_is_taken: manifests([
        definition("usage.example.com", "PodMetrics", "pods"),
        definition("usage.example.com", "Pod", "pods"),
    ]);
    a17_an_accessor_that_is_taken: with_options(
        [
            definition("usage.example.com", "PodMetrics", "podmetrics"),
            definition("usage.example.com", "Pod", "pods"),
        ],
        |config, _| config.kind("usage.example.com/v1/PodMetrics", r#"accessor = "pods""#),
    );
    a18_the_plural_follows_the_singular: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Feet\", singular = \"foot\")]
pub struct FeetSpec {}
")]);
    a19_a_plural_that_the_type_does_not_have: source_with(
        &[
            ("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Foot\", namespaced)]
pub struct FootSpec {}
"),
            ("a.yaml", FEET),
        ],
        |config, place| config.rust_source(&format!("{place}api.rs"), "crate::api"),
    );
    a19_a_plural_that_a_mapped_type_does_not_have: Elsewhere(
        "runtime/src/private/identity.rs",
        "",
        "a generated test compares a type whose source is not an input",
    );
    a20_a_plural_in_upper_case: manifests([definition("example.com", "Foo", "Foos")]);
    a20_a_plural_that_is_empty: manifests([definition("example.com", "Foo", "foos").replace("plural: foos", "plural: ''")]);
    a20_a_plural_that_ends_with_a_hyphen: manifests([definition("example.com", "Foo", "foos-")]);
    a20_a_plural_with_a_dot: manifests([definition("example.com", "Foo", "fo.os")]);
}

const FEET: &str = "apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: feet.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Foot, plural: feet}
  versions: [{name: v1, served: true}]
";
