//! [`PackedShared`]: state that all objects of one storage share.

use std::sync::{Arc, OnceLock};

use super::body::Packer;
use super::decoded::RecentlyDecoded;
use super::intern::Names;
use super::memory::Ledger;
use crate::wire::{DropFields, Encoding};

/// State that all objects of one storage share.
pub(super) struct PackedShared {
    /// JSON and protobuf have separate dictionaries, since a dictionary of one does not fit the
    /// other.
    pub(super) json: Packer,
    pub(super) protobuf: Packer,
    pub(super) names: Names,
    pub(super) decoded: RecentlyDecoded,
    pub(super) ledger: Arc<Ledger>,
    /// Fields that were cut from the objects, for the errors of decoders that miss them. A setting of
    /// the source, and thus the same for all objects.
    pub(super) dropped: OnceLock<DropFields>,
}

// === impl PackedShared ===

impl PackedShared {
    /// Returns the packer for this encoding.
    pub(super) fn packer(&self, encoding: Encoding) -> &Packer {
        if encoding == Encoding::Protobuf {
            &self.protobuf
        } else {
            &self.json
        }
    }
}
