//! 44 to 70: forms of Rust source, and the environment of generated code.

use super::Row::Elsewhere;
use super::{source, source_with};
use crate::crd::definition;

/// Attributes of a kind.
macro_rules! kube {
    ($rest:literal) => {
        concat!(
            "#[derive(CustomResource)]\n",
            "#[kube(group = \"example.com\", version = \"v1\", kind = \"Foo\", namespaced)]\n",
            $rest
        )
    };
}

rows! {
    a44_an_enum: source(&[("api.rs", kube!("pub enum FooSpec { A, B }"))]);
    a44_a_tuple_struct: source(&[("api.rs", kube!("pub struct FooSpec(pub u8);"))]);
    a44_a_unit_struct: source(&[("api.rs", kube!("pub struct FooSpec;"))]);
    a44_a_union: source(&[("api.rs", kube!("pub union FooSpec { a: u8 }"))]);
    a44_a_union_that_derives: Elsewhere(
        "tests/ui/cases/derive/union.rs", "", "the derive reports this error",
    );
    a45_a_generic_struct: source(&[("api.rs", kube!("pub struct FooSpec<T> { t: T }"))]);
    a45_a_generic_struct_that_derives: Elsewhere(
        "informer-derive/tests/derive/elsewhere.rs",
        "a_marker_stands_for_a_type_with_parameters",
        "the derive names a concrete type",
    );
    a46_a_struct_with_a_lifetime: source(&[("api.rs", kube!("pub struct FooSpec<'a>(&'a str);"))]);
    a47_a_struct_with_const_parameters: source(&[(
        "api.rs", kube!("pub struct FooSpec<const N: usize = 1>([u8; N]);"),
    )]);
    a48_no_attributes: source(&[("api.rs", "
#[derive(CustomResource)]
pub struct FooSpec {}
")]);
    a48_no_attributes_that_derives: Elsewhere(
        "tests/ui/cases/derive/missing_kube.rs", "", "the derive reports this error",
    );
    a49_derived_on_the_spec: source(&[
        ("api.rs", concat!("mod a;\n", kube!("#[derive(Informer)]\npub struct FooSpec {}"))),
        ("api/a.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Bar\", namespaced)]
pub struct BarSpec {}
"),
    ]);
    a49_derived_on_the_root: source(&[
        ("api.rs", concat!("pub mod a;\n", kube!("#[kube(derive = \"informer::Informer\")]\npub struct FooSpec {}"))),
        ("api/a.rs", "
#[derive(kube::CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Bar\", namespaced)]
pub struct BarSpec {}
"),
    ]);
    a50_a_root_of_another_name: source(&[("api.rs", kube!("#[kube(root = \"FooCrd\")]\npub struct FooSpec {}"))]);
    a51_several_attributes: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\")]
#[kube(kind = \"Foo\")]
#[kube(plural = \"fooz\")]
pub struct FooSpec {}
")]);
    a51_a_key_given_twice: source(&[("api.rs", kube!("#[kube(version = \"v2\")]\npub struct FooSpec {}"))]);
    a52_an_unknown_key: Elsewhere(
        "tests/ui/cases/derive/unknown_key.rs", "", "`#[informer(..)]` belongs to the derive",
    );
    a53_malformed_attributes: Elsewhere(
        "tests/ui/cases/derive/bare_attribute.rs", "", "`#[informer]` belongs to the derive",
    );
    a53_a_malformed_kube_attribute: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube = \"Foo\"]
pub struct FooSpec {}
")]);
    a53_a_value_of_another_type: source(&[("api.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = 1, kind = \"Foo\")]
pub struct FooSpec {}
")]);
    a54_contradictory_keys: Elsewhere(
        "tests/ui/cases/derive/duplicate_key.rs", "", "`#[informer(..)]` belongs to the derive",
    );
    a55_a_private_type: source(&[("api.rs", kube!("struct FooSpec {}"))]);
    a55_a_private_type_at_the_root: source_with(
        &[("main.rs", kube!("struct FooSpec {}"))],
        |config, place| config.rust_source(&format!("{place}main.rs"), ""),
    );
    a55_a_restricted_type_with_restricted_wrappers: source_with(
        &[("api.rs", kube!("pub(crate) struct FooSpec {}"))],
        |config, place| config
            .visibility("pub(crate)")
            .rust_source(&format!("{place}api.rs"), "crate::api"),
    );
    a55_a_restricted_type: source(&[("api.rs", kube!("pub(crate) struct FooSpec {}"))]);
    a56_a_type_in_a_function: source(&[("api.rs", concat!(
        kube!("pub struct FooSpec {}\n"),
        "fn f() {\n    #[derive(CustomResource)]\n    \
         #[kube(group = \"a.b\", version = \"v1\", kind = \"Hidden\")]\n    struct HiddenSpec;\n}"
    ))]);
    a57_an_alias_of_a_type: source_with(
        &[("a.yaml", &definition("example.com", "Foo", "foos"))],
        |config, _| config.kind("example.com/v1/Foo", "of = crate::api::Alias"),
    );
    a58_a_re_exported_type: source_with(
        &[("a.yaml", &definition("example.com", "Foo", "foos"))],
        |config, _| config.kind("example.com/v1/Foo", "of = crate::api::inner::Bar"),
    );
    a59_conditions_that_do_not_hold: source(&[("api.rs", concat!(
        "#[cfg(feature = \"x\")]\nmod missing;\n",
        kube!("#[cfg(not(feature = \"x\"))]\npub struct FooSpec {}")
    ))]);
    a59_an_attribute_behind_a_feature: source_with(
        &[("api.rs", "
#[cfg_attr(feature = \"x\", derive(CustomResource), kube(group = \"a.b\", version = \"v1\", kind = \"Foo\"))]
pub struct FooSpec {}
")],
        |config, place| config.feature("x").rust_source(&format!("{place}api.rs"), "crate::api"),
    );
    a59_a_condition_that_nobody_can_decide: source(&[("api.rs", kube!(
        "#[cfg(target_os = \"linux\")]\npub struct FooSpec {}"
    ))]);
    a60_modules_in_other_files: source(&[
        ("api.rs", "#[path = \"elsewhere.rs\"]\npub mod x;\npub mod a { pub mod b; }\npub mod c;\n"),
        ("elsewhere.rs", kube!("pub struct FooSpec {}")),
        ("api/a/b.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Bar\", namespaced)]
pub struct BarSpec {}
"),
        ("api/c/mod.rs", "
#[derive(CustomResource)]
#[kube(group = \"example.com\", version = \"v1\", kind = \"Baz\", namespaced)]
pub struct BazSpec {}
"),
    ]);
    a60_a_module_without_a_file: source(&[("api.rs", "pub mod missing;\n")]);
    a61_types_that_macros_make: source(&[("api.rs", "
kinds!(Foo Bar);
include!(\"more.rs\");
")]);
    a62_a_file_that_does_not_parse: source(&[("api.rs", "pub struct Foo {\n    a: u8;\n}\n")]);
    a62_a_byte_order_mark_and_a_shebang: source(&[(
        "api.rs", concat!("\u{feff}#!/usr/bin/env run\n", kube!("pub struct FooSpec {}")),
    )]);
    a63_documentation_of_others: source(&[("api.rs", kube!(
        "/// ```\n/// panic!()\n/// ```\n///     indented\n/// */ [link]\npub struct FooSpec {}"
    ))]);
    a63_no_code_in_documentation: Elsewhere(
        "informer-gen/tests/upstream.rs",
        "g11_g12_generated_documentation_has_no_code_that_nobody_compiles",
        "foreign text appears in `deprecated` only, which is not documentation",
    );
    a64_strict_lints: Elsewhere(
        "informer-gen/tests/compile.rs",
        "built_in_kinds_are_reached_by_group_and_version",
        "that file denies all of these lints",
    );
    a65_no_prelude: Elsewhere(
        "informer-gen/tests/compile.rs",
        "kinds_of_manifests_are_reached_by_group_and_version",
        "the module `crds` is `#[no_implicit_prelude]`",
    );
    a66_a_renamed_runtime: Elsewhere(
        "informer-gen/tests/compile.rs",
        "the_path_of_an_index_traverses_options_and_lists",
        "the module `built_ins` has the runtime at another path",
    );
    a67_the_runtimes_own_tests: Elsewhere(
        "tests/gen_k8s.rs",
        "an_informer_is_found_by_the_name_of_its_resource",
        "the facade refers to itself by name, and contains generated code",
    );
    a68_a_runtime_without_features: Elsewhere(
        ".ci/run",
        "",
        "generated code refers to no optional feature: CI compiles the facade without features",
    );
    a69_keywords_of_other_editions: Elsewhere(
        "codegen/src/names/tests.rs",
        "reserved_words_are_escaped_whatever_the_edition",
        "the function is tested directly",
    );
    a70_a_runtime_of_another_version: Elsewhere(
        "runtime/src/private/tests.rs",
        "code_of_a_newer_generator_is_rejected",
        "the runtime rejects it, for the derive and for the generator",
    );
}
