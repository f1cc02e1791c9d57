//! Decompresses gzip as it arrives, in one member or in several.
//!
//! API servers of 1.37 compress each event of a watch into a member of its own, for clients that
//! accept gzip. Proxies may send gzip even to clients that do not accept it.

use std::io::{self, Write as _};

use bytes::Bytes;
use flate2::write::MultiGzDecoder;

/// Number of compressed bytes per step. Deflate compresses at most 1032 to 1, so a step yields at
/// most about 4 MiB.
const STEP: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Gunzip {
    decoder: MultiGzDecoder<Vec<u8>>,
    packed: Bytes,
}

// === impl Gunzip ===

impl Gunzip {
    pub(super) fn new() -> Self {
        Self {
            decoder: MultiGzDecoder::new(Vec::new()),
            packed: Bytes::new(),
        }
    }

    /// Sets the next frame; the previous one must be consumed.
    pub(super) fn push(&mut self, packed: Bytes) {
        self.packed = packed;
    }

    /// Returns the next decompressed part of the frame; `None` at its end.
    ///
    /// # Errors
    ///
    /// Fails if the frame is not gzip. The checksum of a member is verified when the next member
    /// starts. The checksum of the last member is not verified, because a body may end anywhere;
    /// its content shows whether it is complete.
    pub(super) fn pull(&mut self) -> io::Result<Option<Bytes>> {
        while !self.packed.is_empty() {
            let step = self.packed.split_to(self.packed.len().min(STEP));
            self.decoder.write_all(&step)?;
            // Data that the server flushed must be returned even if its member continues.
            self.decoder.flush()?;
            let unpacked = std::mem::take(self.decoder.get_mut());
            if !unpacked.is_empty() {
                return Ok(Some(unpacked.into()));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests;
