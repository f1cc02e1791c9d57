//! [`Packer`] and [`Body`]: compression and decompression of an object's bytes.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use parking_lot::Mutex;
use tracing::debug;

use super::context;
use super::dictionary::Dictionary;
use super::memory::Ledger;
use super::trainer::{Order, Trainer};

/// Compresses the bytes of one type's objects.
pub(super) struct Packer {
    level: i32,
    dictionary_bytes: usize,
    dictionary: ArcSwapOption<Dictionary>,
    trainer: Mutex<Trainer>,
    ledger: Arc<Ledger>,
}

/// Bytes of one object, compressed where that makes them smaller.
pub(super) struct Body {
    bytes: Box<[u8]>,
    coding: Coding,
    unpacked: usize,
}

/// Encoding of a body's bytes.
enum Coding {
    /// Uncompressed, because compression would not make them smaller.
    Plain,
    Alone,
    With(Arc<Dictionary>),
}

/// Error of bytes that do not unpack: they are damaged, or memory is exhausted.
#[derive(Debug)]
pub(super) struct Damaged;

// === impl Packer ===

impl Packer {
    pub(super) fn new(level: i32, dictionary_bytes: usize, ledger: Arc<Ledger>) -> Self {
        Self {
            level,
            dictionary_bytes,
            dictionary: ArcSwapOption::empty(),
            trainer: Mutex::new(Trainer::new()),
            ledger,
        }
    }

    pub(super) fn level(&self) -> i32 {
        self.level
    }

    pub(super) fn dictionary_bytes(&self) -> usize {
        self.dictionary_bytes
    }

    /// Returns the size of the samples that wait to become a dictionary.
    pub(super) fn sample_bytes(&self) -> usize {
        self.trainer.lock().sample_bytes()
    }

    pub(super) fn pack(&self, bytes: &[u8]) -> Body {
        let dictionary = self.dictionary.load_full();
        let body = Body::new(bytes, self.level, dictionary);
        let order = self.trainer.lock().on_packed(bytes, body.len());
        if let Some(order) = order {
            self.make(&order);
        }
        body
    }

    /// Builds a dictionary. Other threads keep packing with the previous one meanwhile.
    fn make(&self, order: &Order) {
        let result = Dictionary::make(order, self.level, self.dictionary_bytes, &self.ledger);
        match result {
            Ok(dictionary) => self.dictionary.store(Some(Arc::new(dictionary))),
            Err(error) => debug!(%error, "could not build a dictionary from the sampled objects"),
        }
        self.trainer.lock().on_made();
    }
}

// === impl Body ===

impl Body {
    fn new(bytes: &[u8], level: i32, dictionary: Option<Arc<Dictionary>>) -> Self {
        let packed = context::compress(|compressor| {
            let context::Compressor { context, buffer } = compressor;
            buffer.clear();
            buffer.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
            let packed = match &dictionary {
                Some(dictionary) => {
                    context.compress_using_cdict(buffer, bytes, dictionary.encoder.as_cdict())
                }
                None => context.compress(buffer, bytes, level),
            };
            let is_smaller = packed.is_ok_and(|packed| packed < bytes.len());
            is_smaller.then(|| Box::from(buffer.as_slice()))
        });
        let (bytes, coding, unpacked) = match packed.flatten() {
            None => (bytes.into(), Coding::Plain, bytes.len()),
            Some(packed) => {
                let coding = dictionary.map_or(Coding::Alone, Coding::With);
                (packed, coding, bytes.len())
            }
        };
        Self {
            bytes,
            coding,
            unpacked,
        }
    }

    /// Returns the packed size.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the unpacked size.
    pub(super) fn unpacked_len(&self) -> usize {
        self.unpacked
    }

    pub(super) fn unpack(&self) -> Result<Vec<u8>, Damaged> {
        if matches!(self.coding, Coding::Plain) {
            return Ok(self.bytes.to_vec());
        }
        let mut bytes = Vec::with_capacity(self.unpacked);
        let unpacked = context::decompress(|context| match &self.coding {
            Coding::With(dictionary) => context.decompress_using_ddict(
                &mut bytes,
                &self.bytes,
                dictionary.decoder.as_ddict(),
            ),
            Coding::Plain | Coding::Alone => context.decompress(&mut bytes, &self.bytes),
        });
        match unpacked {
            Some(Ok(length)) if length == self.unpacked => Ok(bytes),
            _ => Err(Damaged),
        }
    }
}
