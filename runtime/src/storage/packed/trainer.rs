//! Decides when a dictionary is made, and of what. Pure: no lock, no zstd.
//!
//! # Invariants
//!
//! 1. Samples hold no more than `SAMPLES` objects and `MAX_SAMPLE_BYTES`.
//! 2. Between two dictionaries at least `window` objects are packed, and each time twice as many:
//!    n objects cost O(log n) dictionaries, whatever comes.
//!
//! The first dictionary is a few objects as they are: it costs nothing, so that lists do not wait
//! for it, types with few objects have one too, and no samples are left waiting. Where objects are
//! so unlike each other that it packs badly, one is trained on many; that costs as much as packing
//! some thousand objects.

use std::mem;

/// Objects that the first dictionary is made of. Of Pods of 2.4 KB in protobuf, one of 8 packs into
/// 443 bytes, one of 16 into 400, and one that was trained on 128 into 383.
const FIRST_SAMPLES: usize = 16;
/// Objects that a trained one is made of.
const SAMPLES: usize = 128;
/// Their size together.
const MAX_SAMPLE_BYTES: usize = 256 << 10;
/// A larger object says nothing of the others, and would push them out.
const MAX_SAMPLE: usize = 32 << 10;
/// What is an object's own: name, uid, times, addresses; packed.
const OWN_BYTES: usize = 256;
/// After how many objects a dictionary is judged first.
const FIRST_WINDOW: usize = 1024;

/// Watches what is packed.
#[derive(Debug)]
pub(super) struct Trainer {
    phase: Phase,
    window: usize,
    seen: Seen,
    /// Whether the next dictionary is to be trained.
    trains: bool,
    /// Packed bytes per 1000 of the dictionary's first window.
    first: Option<u64>,
}

#[derive(Debug)]
enum Phase {
    Collecting(Samples),
    /// Samples are out; what comes meanwhile is packed as before.
    Making,
    /// Judging the dictionary by windows.
    Judging,
}

/// What was packed in the current window.
#[derive(Debug, Default)]
struct Seen {
    objects: usize,
    packed: u64,
    unpacked: u64,
}

/// What a dictionary is to be made of, and how.
#[derive(Debug)]
pub(super) enum Order {
    /// Of the samples as they are.
    AsTheyAre(Samples),
    /// Of what zstd's trainer finds in them.
    Trained(Samples),
}

/// Copies of objects, one behind the other.
#[derive(Debug, Default)]
pub(super) struct Samples {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

// === impl Trainer ===

impl Trainer {
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Collecting(Samples::default()),
            window: FIRST_WINDOW,
            seen: Seen::default(),
            trains: false,
            first: None,
        }
    }

    /// The bytes of the samples that wait for more.
    pub(super) fn sample_bytes(&self) -> usize {
        match &self.phase {
            Phase::Collecting(samples) => samples.bytes.capacity(),
            Phase::Making | Phase::Judging => 0,
        }
    }

    /// Takes note of an object that was packed. An order that comes back is to be carried out, and
    /// the end of it told by [`on_made`](Self::on_made).
    #[must_use]
    pub(super) fn on_packed(&mut self, object: &[u8], packed: usize) -> Option<Order> {
        match &mut self.phase {
            Phase::Collecting(samples) => {
                samples.add(object);
                let wanted = if self.trains { SAMPLES } else { FIRST_SAMPLES };
                if samples.lengths.len() < wanted && !samples.is_full() {
                    return None;
                }
                let samples = mem::take(samples);
                self.phase = Phase::Making;
                Some(if self.trains {
                    Order::Trained(samples)
                } else {
                    Order::AsTheyAre(samples)
                })
            }
            Phase::Making => None,
            Phase::Judging => {
                self.seen.objects += 1;
                self.seen.packed += packed as u64;
                self.seen.unpacked += object.len() as u64;
                if self.seen.objects >= self.window {
                    self.judge();
                }
                None
            }
        }
    }

    /// The dictionary of the last order is in use, or none can be made of it.
    pub(super) fn on_made(&mut self) {
        self.phase = Phase::Judging;
        self.seen = Seen::default();
        self.first = None;
    }

    fn judge(&mut self) {
        let seen = mem::take(&mut self.seen);
        let ratio = seen.packed * 1000 / seen.unpacked.max(1);
        match self.first {
            None if !self.trains && !seen.is_good() => self.collect(),
            None => self.first = Some(ratio),
            Some(first) if ratio > worst(first) => {
                self.window = self.window.saturating_mul(2);
                self.collect();
            }
            Some(_) => {}
        }
    }

    fn collect(&mut self) {
        self.trains = true;
        self.phase = Phase::Collecting(Samples::default());
    }
}

// === impl Seen ===

impl Seen {
    /// Whether training would save little: an object has some hundred bytes that no other has, and
    /// of the rest a tenth is left.
    fn is_good(&self) -> bool {
        let own = OWN_BYTES.saturating_mul(self.objects) as u64;
        self.packed <= self.unpacked / 10 + own
    }
}

/// How bad a dictionary may get that began with `ratio`: worse by half, and four in a hundred.
fn worst(ratio: u64) -> u64 {
    ratio + ratio / 2 + 40
}

// === impl Samples ===

impl Samples {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    fn add(&mut self, object: &[u8]) {
        if object.len() <= MAX_SAMPLE {
            self.bytes.extend_from_slice(object);
            self.lengths.push(object.len());
        }
    }

    /// Whether another object may have no room.
    fn is_full(&self) -> bool {
        self.bytes.len() + MAX_SAMPLE > MAX_SAMPLE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OBJECT: [u8; 100] = [7; 100];

    /// After how many more objects an order comes back, if one comes within `most`.
    fn order_after(trainer: &mut Trainer, packed: usize, most: usize) -> Option<usize> {
        (1..=most).find(|_| trainer.on_packed(&OBJECT, packed).is_some())
    }

    /// Packed so, objects of `OBJECT`'s size are no good reason for training.
    const WELL: usize = 10 + OWN_BYTES;

    /// One whose dictionary was trained, as its first one packed badly.
    fn settled() -> Trainer {
        let mut trainer = Trainer::new();
        assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        trainer.on_made();
        let second = order_after(&mut trainer, WELL + 1, 10_000);
        assert_eq!(second, Some(FIRST_WINDOW + SAMPLES));
        trainer.on_made();
        trainer
    }

    #[test]
    fn few_objects_make_the_first_dictionary_as_they_are() {
        let mut trainer = Trainer::new();
        let order = (0..1000).find_map(|_| trainer.on_packed(&OBJECT, 50));
        let Some(Order::AsTheyAre(samples)) = order else {
            panic!("{order:?}");
        };
        assert_eq!(samples.bytes(), OBJECT.repeat(FIRST_SAMPLES));
        assert_eq!(trainer.sample_bytes(), 0);
    }

    #[test]
    fn many_objects_train_the_second_where_the_first_packs_badly() {
        let mut trainer = Trainer::new();
        assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        trainer.on_made();
        let order = (0..10_000).find_map(|_| trainer.on_packed(&OBJECT, WELL + 1));
        let Some(Order::Trained(samples)) = order else {
            panic!("{order:?}");
        };
        assert_eq!(samples.lengths().len(), SAMPLES);
        trainer.on_made();
        assert_eq!(trainer.sample_bytes(), 0);
        assert_eq!(order_after(&mut trainer, WELL + 1, 10_000), None);
    }

    #[test]
    fn a_first_dictionary_that_packs_well_is_kept_while_it_does() {
        let mut trainer = Trainer::new();
        assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        trainer.on_made();
        let well = order_after(&mut trainer, WELL, 10 * FIRST_WINDOW);
        assert_eq!(well, None);
        let again = order_after(&mut trainer, 2 * WELL, 10_000);
        assert!(again.is_some_and(|after| after > SAMPLES), "{again:?}");
    }

    #[test]
    fn nothing_is_collected_while_a_dictionary_is_made() {
        let mut trainer = Trainer::new();
        assert_eq!(order_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        assert_eq!(order_after(&mut trainer, 50, 10_000), None);
    }

    #[test]
    fn samples_are_bounded_in_bytes() {
        let mut trainer = settled();
        trainer.collect();
        let large = vec![0; MAX_SAMPLE];
        let huge = vec![0; MAX_SAMPLE + 1];
        assert!(trainer.on_packed(&huge, 1).is_none());
        assert_eq!(trainer.sample_bytes(), 0);
        let order = (0..SAMPLES).find_map(|_| trainer.on_packed(&large, 1));
        let Some(Order::Trained(samples)) = order else {
            panic!("{order:?}");
        };
        assert!(samples.bytes().len() <= MAX_SAMPLE_BYTES);
        assert!(samples.lengths().iter().all(|&length| length == MAX_SAMPLE));
    }

    #[test]
    fn a_dictionary_that_still_fits_is_kept() {
        let mut trainer = settled();
        assert_eq!(order_after(&mut trainer, 200, 4 * FIRST_WINDOW), None);
        assert_eq!(order_after(&mut trainer, 300, 4 * FIRST_WINDOW), None);
    }

    #[test]
    fn a_dictionary_that_fits_no_more_is_made_anew_and_less_often_each_time() {
        let mut trainer = settled();
        let mut waits = Vec::new();
        for _ in 0..3 {
            let window = trainer.window;
            assert_eq!(order_after(&mut trainer, 200, window), None);
            waits.push(order_after(&mut trainer, 900, 100_000).unwrap());
            trainer.on_made();
        }
        let windows = [FIRST_WINDOW, 2 * FIRST_WINDOW, 4 * FIRST_WINDOW];
        assert_eq!(waits, windows.map(|window| window + SAMPLES));
    }
}
