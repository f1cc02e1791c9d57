//! Kinds shaped like those of well-known projects. `build.rs` generates their types, informers,
//! listers and indices.
//!
//! The manifests are invented. Names, nesting, acronyms, versions and extensions are as in
//! practice.

// Generated code passes strict lints.
#[deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#[deny(unused_qualifications, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod informers {
    //! Output of `build.rs`.
    informer::include_informers!();
}

#[cfg(test)]
pub mod forms;
#[cfg(test)]
mod objects;
#[cfg(test)]
pub mod real;
#[cfg(test)]
mod tests;
