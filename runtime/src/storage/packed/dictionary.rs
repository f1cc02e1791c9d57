//! [`Dictionary`]: what the objects of a type have in common.
//!
//! zstd's format has two parts: tables, of how often which byte and which length occurs in what is
//! left once all repetitions are found, and content, whose parts are what repeats. A trainer makes
//! both. But objects of a type are so alike that some of them, as they are, are content as good as
//! a trainer's choice; and what is left of an object (names, uids, numbers, times) is much the same
//! for all types, so that the tables can be made beforehand. A dictionary of both is made in
//! microseconds, not milliseconds.

use std::io;
use std::sync::Arc;

use zstd::dict::{DecoderDictionary, EncoderDictionary};

use super::memory::Ledger;
use super::trainer::{Order, Samples};

/// A dictionary, prepared for both directions. Objects that were packed with it keep it alive.
pub(super) struct Dictionary {
    pub(super) encoder: EncoderDictionary<'static>,
    pub(super) decoder: DecoderDictionary<'static>,
    bytes: usize,
    ledger: Arc<Ledger>,
}

/// The head of a dictionary (RFC 8878, section 5): magic number, no id (so that no object has to
/// carry it; each knows its dictionary), tables for literals, offsets, lengths of matches and of
/// literals, and three offsets. The tables are those that zstd's trainer made of 160 Pods, a half
/// of them in JSON and the other one in protobuf, with environments and annotations of 60
/// applications; with tables made of Pods in the other encoding alone a Pod takes 1 % more. All
/// bytes have a code, so they fit everything, if not always well.
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
    /// Makes a dictionary: microseconds of work if samples are taken as they are, many milliseconds
    /// if it is trained.
    ///
    /// # Errors
    ///
    /// There is too little in the samples that repeats, or memory is out.
    pub(super) fn make(
        order: &Order,
        level: i32,
        max_bytes: usize,
        ledger: &Arc<Ledger>,
    ) -> io::Result<Self> {
        let made = match order {
            Order::AsTheyAre(samples) => Self::of(samples, max_bytes),
            Order::Trained(samples) => {
                zstd::dict::from_continuous(samples.bytes(), samples.lengths(), max_bytes)?
            }
        };
        let encoder = EncoderDictionary::try_copy(&made, level)?;
        let decoder = DecoderDictionary::try_copy(&made)?;
        let bytes = encoder.as_cdict().sizeof() + decoder.as_ddict().sizeof();
        ledger.add_dictionary(bytes);
        Ok(Self {
            encoder,
            decoder,
            bytes,
            ledger: Arc::clone(ledger),
        })
    }

    /// The last samples, as they are: what is nearest is cheapest to point to.
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
mod tests {
    use zstd::zstd_safe::CCtx;

    use super::super::trainer::Trainer;
    use super::*;

    /// What is made of the first objects of a type whose objects are all `object`.
    fn first(object: &[u8], max_bytes: usize) -> Dictionary {
        let order = Order::AsTheyAre(samples(object));
        Dictionary::make(&order, 1, max_bytes, &Arc::default()).unwrap()
    }

    fn packed(object: &[u8], encoder: &EncoderDictionary<'_>) -> usize {
        let mut bytes = Vec::with_capacity(1024);
        let mut context = CCtx::create();
        let packed = context.compress_using_cdict(&mut bytes, object, encoder.as_cdict());
        packed.unwrap()
    }

    #[test]
    fn what_does_not_repeat_is_packed_by_the_tables_of_the_head() {
        let object = br#"{"metadata":{"uid":""}}"#;
        let uid = b"5e0f1c3a-9b27-4d68-8a40-d71f3be92c56";
        let content = EncoderDictionary::copy(&object.repeat(16), 1);
        let (with, without) = (
            packed(uid, &first(object, 1 << 10).encoder),
            packed(uid, &content),
        );
        assert!(with + 4 < without, "{with} with, {without} without");
    }

    #[test]
    fn a_dictionary_has_no_more_content_than_it_may() {
        let object = [&[b'a'; 600][..], &[b'b'; 600]].concat();
        let content = |max_bytes| Dictionary::of(&samples(&object), max_bytes);
        assert_eq!(content(1000)[HEAD.len()..], object[200..]);
        assert_eq!(content(1 << 20)[HEAD.len()..], object.repeat(16));
    }

    #[test]
    fn the_least_objects_make_a_dictionary() {
        let least = br#"{"metadata":{}}"#;
        assert!(packed(least, &first(least, 1 << 10).encoder) < least.len() + 4);
    }

    fn samples(object: &[u8]) -> Samples {
        let mut trainer = Trainer::new();
        match (0..100).find_map(|_| trainer.on_packed(object, 10)) {
            Some(Order::AsTheyAre(samples)) => samples,
            other => panic!("{other:?}"),
        }
    }
}
