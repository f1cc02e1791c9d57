//! Kinds shaped like those of well-known projects. `build.rs` generates their types, informers,
//! listers and indices.
//!
//! The manifests are invented. Names, nesting, acronyms, versions and extensions are as in
//! practice.

// Lints that work for a whole crate only.
#![deny(non_ascii_idents, future_incompatible)]

// Generated code passes strict lints.
#[deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#[deny(unused_qualifications, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod informers {
    //! Output of `build.rs`.
    informer::include_informers!();
}

// A private module, as the guide shows it, under every lint of rustc that is off by default, except
// those that require or forbid a style, and those that are unstable.
#[deny(
    warnings,
    keyword_idents,
    let_underscore,
    nonstandard_style,
    refining_impl_trait,
    rust_2018_idioms,
    unused,
    absolute_paths_not_starting_with_crate,
    ambiguous_negative_literals,
    deprecated_in_future,
    explicit_outlives_requirements,
    ffi_unwind_calls,
    if_let_rescope,
    impl_trait_overcaptures,
    macro_use_extern_crate,
    meta_variable_misuse,
    missing_abi,
    missing_debug_implementations,
    missing_docs,
    missing_unsafe_on_extern,
    redundant_imports,
    redundant_lifetimes,
    single_use_lifetimes,
    tail_expr_drop_order,
    trivial_casts,
    trivial_numeric_casts,
    unit_bindings,
    unnameable_types,
    unreachable_pub,
    unsafe_code,
    unused_extern_crates,
    unused_import_braces,
    unused_lifetimes,
    unused_macro_rules,
    unused_qualifications,
    unused_results,
    variant_size_differences
)]
mod structural {
    //! Random structural schemas, and the deepest types.
    include!(concat!(env!("OUT_DIR"), "/structural.rs"));
}

#[cfg(test)]
pub mod forms;
#[cfg(test)]
#[path = "../../../../tests/support/go.rs"]
mod go;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod random;
#[cfg(test)]
pub mod real;
#[cfg(test)]
mod schemas;
#[cfg(test)]
mod tests;
