//! [`Dictionary`]: zstd dictionaries of the objects of a type.
//!
//! A zstd dictionary has two parts: entropy tables, which describe the literals and lengths that
//! remain after repetitions are found, and content, whose substrings are the repetitions. zstd's
//! trainer produces both. Objects of one type are so similar that a few of them, verbatim, are as
//! good as trained content. The remaining data (names, uids, numbers, times) is similar for all
//! types, so the tables can be fixed in advance. Building a dictionary from both needs no training.

use std::io;
use std::sync::Arc;

use zstd::dict::{DecoderDictionary, EncoderDictionary};

use super::memory::Ledger;
use super::trainer::{Order, Samples};

/// Dictionary, prepared for both directions. Objects that were packed with it keep it alive.
pub(super) struct Dictionary {
    pub(super) encoder: EncoderDictionary<'static>,
    pub(super) decoder: DecoderDictionary<'static>,
    bytes: usize,
    ledger: Arc<Ledger>,
}

/// Head of a dictionary (RFC 8878, section 5): magic number, no id (each object refers to its
/// dictionary, so the compressed frames need no id), entropy tables for literals, offsets, match
/// lengths and literal lengths, and three repeat offsets. zstd's trainer produced the tables from
/// Pods of many applications, half of them in JSON and half in protobuf. All bytes have a code, so
/// the tables fit any object, if not always optimally.
const HEAD: [u8; 159] = [
    0x37, 0xa4, 0x30, 0xec, 0x00, 0x00, 0x00, 0x00, 0x38, 0x10, 0xa8, 0xa2, 0x9a, 0x36, 0x30, 0x33,
    0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x33, 0x53, 0x73, 0x4b, 0x65, 0xb4, 0x8e, 0xf4, 0xff, 0xdf,
    0x96, 0xfe, 0x6d, 0x6f, 0xda, 0x93, 0xea, 0x26, 0xaa, 0xb6, 0xf4, 0xff, 0xff, 0xfb, 0xfa, 0xff,
    0xd6, 0xbe, 0x66, 0x65, 0x6f, 0xae, 0xec, 0xff, 0x60, 0x61, 0x77, 0x66, 0xf5, 0xbc, 0x59, 0x60,
    0x2c, 0x63, 0x03, 0x00, 0x0c, 0x06, 0x0a, 0xc3, 0xc2, 0xd1, 0x48, 0x60, 0x50, 0x3f, 0x07, 0x00,
    0x04, 0xa0, 0x00, 0x83, 0x86, 0x86, 0x92, 0x10, 0x0f, 0x0c, 0x90, 0x07, 0x88, 0x88, 0x8e, 0x84,
    0xc4, 0xa0, 0xb0, 0x00, 0x10, 0x14, 0x06, 0x80, 0x41, 0x71, 0x30, 0x10, 0x0a, 0x00, 0x40, 0x01,
    0x00, 0x18, 0x40, 0x06, 0x04, 0x84, 0x65, 0x81, 0xd2, 0x0e, 0x01, 0x00, 0x54, 0x34, 0x66, 0x51,
    0x1c, 0x0a, 0x62, 0x18, 0x05, 0x41, 0x0c, 0x02, 0x41, 0x1c, 0x86, 0x8c, 0x01, 0x18, 0x90, 0x0a,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
];

// === impl Dictionary ===

impl Dictionary {
    /// Builds a dictionary. Verbatim samples are cheap; training takes far longer.
    ///
    /// # Errors
    ///
    /// Fails if too little of the samples repeats, or if memory is exhausted.
    pub(super) fn make(
        order: &Order,
        level: i32,
        max_bytes: usize,
        ledger: &Arc<Ledger>,
    ) -> io::Result<Self> {
        let dictionary = match order {
            Order::Verbatim(samples) => Self::of(samples, max_bytes),
            Order::Trained(samples) => {
                zstd::dict::from_continuous(samples.bytes(), samples.lengths(), max_bytes)?
            }
        };
        let encoder = EncoderDictionary::try_copy(&dictionary, level)?;
        let decoder = DecoderDictionary::try_copy(&dictionary)?;
        let bytes = encoder.as_cdict().sizeof() + decoder.as_ddict().sizeof();
        ledger.add_dictionary(bytes);
        Ok(Self {
            encoder,
            decoder,
            bytes,
            ledger: Arc::clone(ledger),
        })
    }

    /// Concatenates the head and the last samples. Content near the end is cheapest to refer to, so
    /// the oldest samples are cut.
    fn of(samples: &Samples, max_bytes: usize) -> Vec<u8> {
        let bytes = samples.bytes();
        let (_, content) = bytes.split_at(bytes.len().saturating_sub(max_bytes));
        [&HEAD, content].concat()
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        self.ledger.remove_dictionary(self.bytes);
    }
}

#[cfg(test)]
mod tests;
