//! Writes: create, update, patch, apply and delete.
//!
//! Each function takes a decoded document, applies the real server's rules for metadata, and
//! commits. Specs of built-in kinds are not validated; custom resources are validated by their
//! schemas. The [collector](super::collector) applies the consequences for other objects.

#[cfg(feature = "openapi")]
mod apply;
mod commit;
mod create;
mod decode;
mod delete;
mod jobs;
mod json_patch;
mod metadata;
mod options;
mod owners;
mod patch;
mod rules;
mod secrets;
mod strategic;
mod update;

#[cfg(feature = "openapi")]
pub(crate) use apply::{Application, apply, check_applied, merge_applied, named, take_managers};
pub(crate) use commit::erase;
pub(crate) use create::{accepts_content, create, create_namespace};
pub(crate) use decode::{members_of, metadata_mut, not_strict, unknown_field, unknown_fields};
pub(crate) use delete::{
    DeleteOptions, Deleted, Propagation, delete, delete_by_rule, delete_collection,
};
pub(crate) use options::{Creator, Manager, Ownership, WriteOptions};
pub(crate) use patch::{APPLY, Patch, Patched};
pub(crate) use update::{create_by_update, update};
