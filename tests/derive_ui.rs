//! What rustc prints for mistakes that only the real runtime, kube and serde can show.
//!
//! Most mistakes are in informer-derive, whose stub runtime compiles in a second. As there, the
//! texts are those of one compiler; `TRYBUILD=overwrite cargo test --test derive_ui` writes them
//! anew.

#[test]
fn mistakes_are_explained_by_the_real_runtime() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/derive_ui/*.rs");
}
