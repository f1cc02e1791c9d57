//! Kinds of the shapes of well-known projects, whose types, informers, listers and indices `build.rs` writes.
//!
//! The manifests are made up; names, nesting, acronyms, versions and extensions are as in the wild.

// Generated code passes strict lints.
#[deny(warnings, missing_docs, missing_debug_implementations, unreachable_pub)]
#[deny(unused_qualifications, clippy::all, clippy::pedantic, rustdoc::all)]
pub mod informers {
    //! What `build.rs` has written.
    informer::include_informers!();
}

#[cfg(test)]
mod objects;
#[cfg(test)]
mod tests;
