//! What rustc prints when the derive is used wrongly.
//!
//! The texts are those of one compiler: others lay out the same errors differently. So the test
//! runs on the toolchain that CI pins; `TRYBUILD=overwrite cargo test --test ui` writes them anew.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
