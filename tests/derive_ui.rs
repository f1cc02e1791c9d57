//! Errors that rustc prints for mistakes that only the real runtime, kube and serde reveal.
//!
//! informer-derive tests most mistakes, because its stub runtime compiles faster. The texts are
//! those of one compiler version. `TRYBUILD=overwrite cargo test --test derive_ui` accepts the
//! current texts.

#[test]
fn mistakes_are_explained_by_the_real_runtime() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/derive_ui/*.rs");
}
