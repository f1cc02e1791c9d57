//! [`Shared`]: what all objects of one storage have in common.

use std::sync::Arc;

use super::body::Packer;
use super::decoded::Decoded;
use super::intern::Names;
use super::memory::Ledger;
use crate::wire::Encoding;

/// What all objects of one storage have in common.
pub(super) struct Shared {
    /// What objects in one encoding have in common is of no use to those in the other.
    pub(super) json: Packer,
    pub(super) protobuf: Packer,
    pub(super) names: Names,
    pub(super) decoded: Decoded,
    pub(super) ledger: Arc<Ledger>,
}

// === impl Shared ===

impl Shared {
    /// What packs objects in this encoding.
    pub(super) fn packer(&self, encoding: Encoding) -> &Packer {
        match encoding {
            Encoding::Json => &self.json,
            Encoding::Protobuf => &self.protobuf,
        }
    }
}
