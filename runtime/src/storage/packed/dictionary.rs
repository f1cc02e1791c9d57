//! [`Dictionary`]: what the objects of a type have in common.

use std::io;
use std::sync::Arc;

use zstd::dict::{DecoderDictionary, EncoderDictionary};

use super::memory::Ledger;
use super::trainer::Samples;

/// A dictionary, prepared for both directions. Objects that were packed with it keep it alive.
pub(super) struct Dictionary {
    pub(super) encoder: EncoderDictionary<'static>,
    pub(super) decoder: DecoderDictionary<'static>,
    bytes: usize,
    ledger: Arc<Ledger>,
}

// === impl Dictionary ===

impl Dictionary {
    /// Makes a dictionary of samples: some milliseconds of work.
    ///
    /// # Errors
    ///
    /// There is too little in the samples that repeats.
    pub(super) fn train(
        samples: &Samples,
        level: i32,
        max_bytes: usize,
        ledger: &Arc<Ledger>,
    ) -> io::Result<Self> {
        let trained = zstd::dict::from_continuous(samples.bytes(), samples.lengths(), max_bytes)?;
        let encoder = EncoderDictionary::try_copy(&trained, level)?;
        let decoder = DecoderDictionary::try_copy(&trained)?;
        let bytes = encoder.as_cdict().sizeof() + decoder.as_ddict().sizeof();
        ledger.add_dictionary(bytes);
        Ok(Self {
            encoder,
            decoder,
            bytes,
            ledger: Arc::clone(ledger),
        })
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        self.ledger.remove_dictionary(self.bytes);
    }
}
