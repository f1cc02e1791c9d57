//! 71 to 92: manifests, k8s-openapi, cargo, and output files.

use super::Row::Elsewhere;
use super::{manifests, options, source_with, with_options};
use crate::crd::{definition, served};

rows! {
    a71_many_documents_of_many_kinds: manifests([[
        "---\n# nothing\n---\n",
        &definition("example.com", "Foo", "foos"),
        "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n---\n\
         apiVersion: v1\nkind: List\nitems:\n- apiVersion: apiextensions.k8s.io/v1\n  \
         kind: CustomResourceDefinition\n  metadata: {name: bars.example.com}\n  spec:\n    \
         group: &group example.com\n    scope: Cluster\n    names: {kind: Bar, plural: bars}\n    \
         versions: [{name: v1, served: true, note: *group}]\n- {apiVersion: v1, kind: Pod}\n",
    ].concat()]);
    a71_json: source_with(
        &[("a.json", "{\"apiVersion\": \"apiextensions.k8s.io/v1\", \
            \"kind\": \"CustomResourceDefinition\", \"metadata\": {\"name\": \"foos.example.com\"}, \
            \"spec\": {\"group\": \"example.com\", \"scope\": \"Namespaced\", \
            \"names\": {\"kind\": \"Foo\", \"plural\": \"foos\"}, \
            \"versions\": [{\"name\": \"v1\", \"served\": true}]}}")],
        |config, _| config,
    );
    a71_nothing_but_separators: manifests(["---\n---\n# nothing\n".to_owned()]);
    a72_an_old_definition: manifests([
        definition("example.com", "Foo", "foos").replace("k8s.io/v1", "k8s.io/v1beta1"),
    ]);
    a73_a_template: manifests([
        definition("example.com", "Foo", "foos").replace("scope: Namespaced", "{{ .Values.scope }}"),
    ]);
    a73_tabs: manifests([
        definition("example.com", "Foo", "foos").replace("  scope", "\tscope"),
    ]);
    a73_a_key_given_twice: manifests([
        definition("example.com", "Foo", "foos").replace("  scope", "  scope: Cluster\n  scope"),
    ]);
    a74_several_versions_one_served: manifests([
        served("example.com", "Foo", "foos", &["v1", "v2"])
            .replace("v1, served: true", "v1, served: false"),
    ]);
    a74_several_versions_without_types: manifests([
        served("example.com", "Foo", "foos", &["v1", "v2"]),
    ]);
    a75_several_versions_of_one_type: with_options(
        [served("example.com", "Foo", "foos", &["v1", "v2"])],
        |config, _| config
            .kind("example.com/v1/Foo", "of = crate::Foo")
            .kind("example.com/v2/Foo", "of = crate::Foo"),
    );
    a76_a_glob_that_matches_nothing: options(|config, place| {
        config.crd_manifests(&format!("{place}*.yml")).types_in("crate::api")
    });
    a76_a_path_that_is_not_there: options(|config, place| {
        config.crd_manifests(&format!("{place}no/such.yaml")).types_in("crate::api")
    });
    a76_a_directory: source_with(
        &[("crds/foo.yml", &definition("example.com", "Foo", "foos")), ("crds/README.md", "not read")],
        |config, place| config.crd_manifests(&format!("{place}crds")).types_in("crate::api"),
    );
    a76_a_directory_of_nothing: source_with(
        &[("crds/README.md", "not read")],
        |config, place| config.crd_manifests(&format!("{place}crds")).types_in("crate::api"),
    );
    a76_a_file_that_cannot_be_read: Elsewhere(
        "informer-gen/tests/errors.rs", "a_file_that_cannot_be_read_is_named", "the file is not text",
    );
    a77_which_kubernetes_is_enabled: Elsewhere(
        "informer-gen/tests/versions.rs",
        "every_build_names_exactly_its_types",
        "the macros of k8s-openapi select the version in generated code",
    );
    a78_a_kind_that_this_kubernetes_has_not: options(|config, _| {
        config.built_in("scheduling.k8s.io/v1alpha3", "Workload")
    });
    a79_a_new_kubernetes: Elsewhere(
        "informer-gen/tests/catalogue.rs",
        "the_table_matches_the_sources",
        "the test fails if an update of k8s-openapi adds a version that the table lacks",
    );
    a80_two_versions_of_k8s_openapi: Elsewhere(
        "informer-gen/tests/compile.rs",
        "built_in_kinds_are_reached_by_group_and_version",
        "generated code refers to the types of one k8s-openapi crate, \
         which must implement `kube::Resource` of the runtime's kube: otherwise rustc names both crates",
    );
    a81_places_of_any_name: Elsewhere(
        "informer-gen/tests/write.rs",
        "generated_text_is_independent_of_the_machine",
        "the generator does not read sources of other packages",
    );
    a82_a_workspace: Elsewhere(
        "informer-gen/tests/incremental.rs",
        "the_script_runs_when_an_input_has_changed_and_only_then",
        "paths are relative to the package in a build script",
    );
    a83_no_out_dir: Elsewhere(
        "informer-gen/tests/write.rs",
        "out_dir_is_the_only_default",
        "the test changes the environment",
    );
    a84_nothing_changed: Elsewhere(
        "informer-gen/tests/write.rs", "a_second_run_touches_nothing", "the test needs two runs",
    );
    a84_another_order: Elsewhere(
        "informer-gen/tests/write.rs",
        "the_order_of_options_and_files_does_not_matter",
        "the test needs two runs",
    );
    a85_a_resource_that_is_gone: Elsewhere(
        "informer-gen/tests/write.rs",
        "files_of_removed_groups_are_deleted_and_no_others",
        "the test needs two runs",
    );
    a85_a_file_by_hand: Elsewhere(
        "informer-gen/tests/write.rs", "a_file_by_hand_is_never_overwritten", "the test writes files",
    );
    a86_two_configurations_in_one_directory: Elsewhere(
        "informer-gen/tests/write.rs",
        "two_configurations_share_a_directory_by_their_file_names",
        "the test needs two runs",
    );
    a87_duplicates: options(|config, _| {
        config
            .built_in("v1", "Pod")
            .built_in("core/v1", "Pod")
            .built_in("v1", "Pod")
    });
    a87_an_unknown_name: options(|config, _| config.built_in("core/v1", "Pdo"));
    a87_a_bad_glob: options(|config, _| config.crd_manifests("[*.yaml").types_in("crate::api"));
    a88_line_ends_of_windows: Elsewhere(
        "informer-gen/tests/write.rs", "windows_line_endings_are_not_a_difference", "the test compares files",
    );
    a88_what_check_prints: Elsewhere(
        "informer-gen/tests/cli.rs", "check_prints_a_diff_and_writes_nothing", "the test compares files",
    );
    a88_windows_input: manifests([
        definition("example.com", "Foo", "foos").replace('\n', "\r\n"),
    ]);
    a89_a_thousand_definitions: Elsewhere(
        "informer-gen/tests/errors.rs",
        "a_large_bundle_is_read_and_an_endless_one_rejected",
        "the input is long",
    );
    a90_a_header: Elsewhere(
        "informer-gen/tests/write.rs",
        "generated_text_is_independent_of_the_machine",
        "generated files begin with a constant line, which is not configurable",
    );
    a91_an_interrupted_run: Elsewhere(
        "informer-gen/tests/write.rs",
        "an_unwritable_path_is_named",
        "files are replaced atomically",
    );
    a92_builds_at_the_same_time: Elsewhere(
        "informer-gen/tests/write.rs",
        "two_processes_may_write_at_the_same_time",
        "the processes share only the output",
    );
}
