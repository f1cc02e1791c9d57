//! Writes: create, update, patch, apply and delete.
//!
//! Each function takes a decoded document, applies the real server's rules for metadata, and
//! commits. Specs of built-in kinds are decoded, and with few exceptions not validated; custom
//! resources are validated by their schemas. The [collector](super::collector) applies the
//! consequences for other objects.

mod apply;
mod commit;
mod content;
mod create;
mod decode;
mod delete;
mod json_patch;
mod metadata;
mod options;
mod owners;
mod patch;
mod rules;
mod secrets;
mod strategic;
mod update;

pub(crate) use apply::{Application, apply, check_applied};
pub(crate) use commit::erase;
pub(crate) use create::{create, create_namespace};
pub(crate) use decode::{members_of, metadata_mut, unknown_field, unknown_fields};
pub(crate) use delete::{
    DeleteOptions, Deleted, Propagation, delete, delete_by_rule, delete_collection,
};
pub(crate) use options::{Manager, Ownership, WriteOptions};
pub(crate) use patch::{APPLY, Patch, Patched};
pub(crate) use update::{create_by_update, replace, update};
