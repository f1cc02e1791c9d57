//! Errors that rustc prints if generated code is used with the wrong scope.
//!
//! The texts are those of one compiler version. `TRYBUILD=overwrite cargo test --test gen_ui`
//! accepts the current texts.

/// S-02.
#[test]
fn the_wrong_scope_is_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/gen_ui/*.rs");
}
