//! Errors that rustc prints for wrong uses of the derive.
//!
//! The texts are those of one compiler version, because others format the same errors differently.
//! The test runs on the toolchain that CI pins. `TRYBUILD=overwrite cargo test --test ui` accepts
//! the current texts.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
