//! 1 to 13: names that are not Rust identifiers, or that Rust reserves.

use super::Row::Elsewhere;
use super::{manifests, source, with_options};
use crate::crd::definition;

rows! {
    a01_a_raw_struct: Elsewhere(
        "informer-derive/tests/derive/forms.rs",
        "names_that_rust_reserves_are_escaped",
        "the derive reads fields and structs such as `r#type`",
    );
    a01_a_raw_root: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"type\", namespaced)]
pub struct r#typeSpec {}
")]);
    a02_kinds_whose_snake_case_is_a_keyword: manifests([
        definition("example.com", "Type", "types"),
        definition("example.com", "Async", "asyncs"),
        definition("example.com", "Match", "matches"),
        definition("example.com", "Gen", "gens"),
        definition("example.com", "Yield", "yields"),
    ]);
    a03_kinds_that_cannot_be_raw: manifests([
        definition("example.com", "Super", "supers"),
        definition("example.com", "Crate", "crates"),
        definition("example.com", "Extern", "externs"),
    ]);
    a03_a_kind_that_is_no_type_name: manifests([definition("example.com", "Self", "selves")]);
    a03_a_kind_that_is_no_type_name_with_a_type: with_options(
        [definition("example.com", "Self", "selves")],
        |config, _| config.kind("example.com/v1/Self", "of = crate::api::Me"),
    );
    a04_plurals_that_are_keywords: manifests([
        definition("example.com", "Ego", "self"),
        definition("example.com", "Equal", "match"),
        definition("example.com", "Output", "yield"),
    ]);
    a05_a_kind_with_a_hyphen: manifests([definition("example.com", "Foo-Bar", "foo-bars")]);
    a05_a_kind_with_a_hyphen_with_a_type: with_options(
        [definition("example.com", "Foo-Bar", "foo-bars")],
        |config, _| config.kind("example.com/v1/Foo-Bar", "of = crate::api::FooBar"),
    );
    a05_a_kind_with_a_hyphen_without_a_type: with_options(
        [definition("example.com", "Foo-Bar", "foo-bars")],
        |config, _| config.kind("example.com/v1/Foo-Bar", "of = dynamic"),
    );
    a06_kinds_in_other_cases: manifests([
        definition("example.com", "pod", "pods"),
        definition("example.com", "DNSEndpoint", "dnsendpoints"),
        definition("example.com", "iSCSITarget", "iscsitargets"),
        definition("example.com", "OAuth2Client", "oauth2clients"),
        definition("example.com", "VPC2Peering", "vpc2peerings"),
    ]);
    a07_kinds_of_almost_one_name: manifests([
        definition("example.com", "Foo2", "foo2s"),
        definition("example.com", "Foo-2", "foos-2"),
        definition("example.com", "FooBar", "foobars"),
        definition("example.com", "Foobar", "foobarz"),
    ]);
    a07_types_of_one_name_after_mapping: with_options(
        [
            definition("example.com", "Foo2", "foo2s"),
            definition("example.com", "Foo-2", "foos-2"),
        ],
        |config, _| config.kind("example.com/v1/Foo-2", "of = crate::api::Foo_2"),
    );
    a08_a_plural_with_hyphens: manifests([definition(
        "k8s.cni.cncf.io",
        "NetworkAttachmentDefinition",
        "network-attachment-definitions",
    )]);
    a09_two_accessors_of_one_name: manifests([
        definition("example.com", "FooBarX", "foo-bars"),
        definition("example.com", "FooBar", "foobars"),
    ]);
    a09_two_accessors_told_apart: with_options(
        [
            definition("example.com", "FooBarX", "foo-bars"),
            definition("example.com", "FooBar", "foobars"),
        ],
        |config, _| config.kind("example.com/v1/FooBarX", r#"accessor = "foo_bar_xs""#),
    );
    a10_a_kind_that_is_not_ascii: manifests([definition("example.com", "Épée", "epees")]);
    a10_a_struct_that_is_not_ascii: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Épée\", plural = \"epees\")]
pub struct ÉpéeSpec {}
")]);
    a11_types_with_names_of_the_prelude: Elsewhere(
        "informer-gen/tests/compile.rs",
        "kinds_of_manifests_are_reached_by_group_and_version",
        "`Option`, `Result` and `Vec` are compiled in that test, under `no_implicit_prelude`",
    );
    a11_types_named_like_what_is_generated: Elsewhere(
        "tests/gen_real.rs",
        "every_informer_follows_the_resource_that_its_manifest_names",
        "`Informer`, `Lister` and `SharedInformerFactory` are compiled in that test",
    );
    a12_a_kind_named_like_the_wrapper_of_another: manifests([
        definition("example.com", "Pod", "pods"),
        definition("example.com", "PodNamespace", "podnamespaces"),
    ]);
    a12_a_kind_named_like_a_wrapper: manifests([
        definition("example.com", "Pod", "pods"),
        definition("example.com", "PodInformer", "podinformers"),
        definition("example.com", "PodLister", "podlisters"),
    ]);
    a13_short_kinds: manifests([
        definition("example.com", "'Y'", "ys"),
        definition("example.com", "Ox", "oxen"),
    ]);
    a13_a_kind_that_yaml_takes_for_something_else: manifests([definition("example.com", "Y", "ys")]);
    a13_a_kind_of_one_letter_without_a_plural: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Y\", namespaced)]
pub struct YSpec {}
")]);
}
