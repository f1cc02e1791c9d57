//! Defects of Go's `informer-gen` and `lister-gen` that this generator does not have. Most of them are
//! inputs with their results, below `tests/golden`:
//!
//! | defect | where |
//! |---|---|
//! | G1: a plural is the kind with an `s` | `awkward/a14_*`, `a16_*`; `tests/compile.rs` |
//! | G2: an informer of a kind that cannot be watched | `awkward/a40_component_status`; `tests/compile.rs` |
//! | G3: a lister without an informer, which stays empty | below |
//! | G4: groups with one first label overwrite each other | `awkward/a23_*` |
//! | G5: the name of a group holds for one of its versions | `inputs/groups_named_for_all_their_versions` |
//! | G6: folders distinguish groups | `inputs/groups_in_folders_of_one_name` |
//! | G7: a hyphen in a group is no Rust | `awkward/a24_*` |
//! | G8: kinds must not have the names of generated items | `inputs/kinds_of_the_names_of_generated_items`, `errors/names_of_one_type`; `tests/vendors/src/real.rs` |
//! | G9: an input without kinds is no error | `errors/output_of_nothing`, `manifest_of_another_kind`, `awkward/a76_*`, `inputs/source_without_kinds` |
//! | G10: informer and lister have other plurals | `awkward/a16_*` |
//! | G11: generated code has dead parts | `tests/compile.rs` compiles each line under `deny(warnings)` |
//! | G12: generated documentation is not compiled | below |
//! | G13: an informer is found by its type alone | `tests/vendors/src/real.rs` |

#![expect(clippy::unwrap_used, reason = "a failing helper fails the test")]

use informer_gen::{BuiltIns, Config};

fn all() -> String {
    let rendered = Config::new().built_ins(BuiltIns::All).render().unwrap();
    rendered.files.into_values().collect()
}

/// G3: a kind without an informer has no lister, which would stay empty.
#[test]
fn g3_every_lister_has_an_informer() {
    let text = all();
    let structs = |suffix: &str| {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("pub "));
        let names = lines.filter_map(|line| match line.strip_prefix("type ") {
            Some(alias) => alias.split_once("<S"),
            None => line.split_once(": ::k8s_openapi"),
        });
        let names = names.flat_map(|(names, _)| names.split(", "));
        let stems = names.filter_map(|name| name.strip_suffix(suffix));
        stems.map(str::to_owned).collect::<Vec<_>>()
    };
    let (informers, listers) = (structs("Informer"), structs("Lister"));
    assert!(informers.len() > 80);
    assert_eq!(informers, listers);
    assert!(!informers.iter().any(|stem| stem == "ImageReview"));
}

/// G12: the generated documentation has no example that is not compiled.
#[test]
fn g12_generated_documentation_has_no_code_that_nobody_compiles() {
    assert!(!all().contains("```"));
}
