//! Decides when a dictionary is made, and of what. Pure: no lock, no zstd.
//!
//! # Invariants
//!
//! 1. Samples hold no more than `SAMPLES` objects and `MAX_SAMPLE_BYTES`.
//! 2. Between two dictionaries at least `window` objects are packed, and each time twice as many:
//!    n objects cost O(log n) dictionaries, whatever comes.
//!
//! The first dictionary is made of few objects, so that types with few objects have one too and
//! leave no samples waiting. Types with many get a better one once that is known, if there is something
//! to be gained: a dictionary costs as much as packing some thousand objects, and while it is made a
//! list waits for it.

use std::mem;

/// Objects that the first dictionary is made of. Of Pods of 4.6 KB, a dictionary of 16 packs into
/// 770 bytes, one of 32 into 285, and one of 128 into 306, for three times the work.
const FIRST_SAMPLES: usize = 32;
/// Packed bytes per 1000 at which a first dictionary is good enough.
const GOOD: u64 = 100;
/// Objects that later ones are made of.
const SAMPLES: usize = 128;
/// Their size together.
const MAX_SAMPLE_BYTES: usize = 256 << 10;
/// A larger object says nothing of the others, and would push them out.
const MAX_SAMPLE: usize = 32 << 10;
/// After how many objects a dictionary is judged first.
const FIRST_WINDOW: usize = 1024;

/// Watches what is packed.
#[derive(Debug)]
pub(super) struct Trainer {
    phase: Phase,
    window: usize,
    seen: Seen,
    /// How many samples the next dictionary is made of.
    wanted: usize,
    /// Packed bytes per 1000 of the dictionary's first window.
    first: Option<u64>,
}

#[derive(Debug)]
enum Phase {
    Collecting(Samples),
    /// Samples are out; what comes meanwhile is packed as before.
    Training,
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
            wanted: FIRST_SAMPLES,
            first: None,
        }
    }

    /// The bytes of the samples that wait for more.
    pub(super) fn sample_bytes(&self) -> usize {
        match &self.phase {
            Phase::Collecting(samples) => samples.bytes.capacity(),
            Phase::Training | Phase::Judging => 0,
        }
    }

    /// Takes note of an object that was packed. Samples that come back are to be trained on, and
    /// the end of it told by [`on_trained`](Self::on_trained).
    #[must_use]
    pub(super) fn on_packed(&mut self, object: &[u8], packed: usize) -> Option<Samples> {
        match &mut self.phase {
            Phase::Collecting(samples) => {
                samples.add(object);
                if samples.lengths.len() < self.wanted && !samples.is_full() {
                    return None;
                }
                let samples = mem::take(samples);
                self.phase = Phase::Training;
                Some(samples)
            }
            Phase::Training => None,
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

    /// The dictionary of the last samples is in use, or there is none.
    pub(super) fn on_trained(&mut self) {
        self.phase = Phase::Judging;
        self.seen = Seen::default();
        self.first = None;
    }

    fn judge(&mut self) {
        let seen = mem::take(&mut self.seen);
        let ratio = seen.packed * 1000 / seen.unpacked.max(1);
        match self.first {
            None if self.wanted < SAMPLES && ratio > GOOD => self.collect(),
            None => self.first = Some(ratio),
            Some(first) if ratio > worst(first) => {
                self.window = self.window.saturating_mul(2);
                self.collect();
            }
            Some(_) => {}
        }
    }

    fn collect(&mut self) {
        self.wanted = SAMPLES;
        self.phase = Phase::Collecting(Samples::default());
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

    /// After how many more objects samples come back, if they come within `most`.
    fn samples_after(trainer: &mut Trainer, packed: usize, most: usize) -> Option<usize> {
        (1..=most).find(|_| trainer.on_packed(&OBJECT, packed).is_some())
    }

    /// One whose dictionary is made of many objects.
    fn settled() -> Trainer {
        let mut trainer = Trainer::new();
        assert_eq!(samples_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        trainer.on_trained();
        let second = samples_after(&mut trainer, 50, 10_000);
        assert_eq!(second, Some(FIRST_WINDOW + SAMPLES));
        trainer.on_trained();
        trainer
    }

    #[test]
    fn few_objects_make_the_first_dictionary_and_many_the_second() {
        let mut trainer = settled();
        assert_eq!(trainer.sample_bytes(), 0);
        assert_eq!(samples_after(&mut trainer, 50, 10_000), None);
    }

    #[test]
    fn a_first_dictionary_that_packs_to_a_tenth_is_kept_while_it_does() {
        let mut trainer = Trainer::new();
        assert_eq!(samples_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        trainer.on_trained();
        assert_eq!(samples_after(&mut trainer, 10, 10 * FIRST_WINDOW), None);
        let again = samples_after(&mut trainer, 50, 10_000);
        assert!(again.is_some_and(|after| after > SAMPLES), "{again:?}");
    }

    #[test]
    fn nothing_is_collected_while_a_dictionary_is_made() {
        let mut trainer = Trainer::new();
        assert_eq!(samples_after(&mut trainer, 50, 1000), Some(FIRST_SAMPLES));
        assert_eq!(samples_after(&mut trainer, 50, 10_000), None);
    }

    #[test]
    fn samples_are_bounded_in_bytes() {
        let mut trainer = settled();
        trainer.collect();
        let large = vec![0; MAX_SAMPLE];
        let huge = vec![0; MAX_SAMPLE + 1];
        assert!(trainer.on_packed(&huge, 1).is_none());
        assert_eq!(trainer.sample_bytes(), 0);
        let samples = (0..SAMPLES).find_map(|_| trainer.on_packed(&large, 1));
        let samples = samples.unwrap();
        assert!(samples.bytes().len() <= MAX_SAMPLE_BYTES);
        assert!(samples.lengths().iter().all(|&length| length == MAX_SAMPLE));
    }

    #[test]
    fn a_dictionary_that_still_fits_is_kept() {
        let mut trainer = settled();
        assert_eq!(samples_after(&mut trainer, 20, 4 * FIRST_WINDOW), None);
        assert_eq!(samples_after(&mut trainer, 30, 4 * FIRST_WINDOW), None);
    }

    #[test]
    fn a_dictionary_that_fits_no_more_is_made_anew_and_less_often_each_time() {
        let mut trainer = settled();
        let mut waits = Vec::new();
        for _ in 0..3 {
            let window = trainer.window;
            assert_eq!(samples_after(&mut trainer, 20, window), None);
            waits.push(samples_after(&mut trainer, 90, 100_000).unwrap());
            trainer.on_trained();
        }
        let windows = [FIRST_WINDOW, 2 * FIRST_WINDOW, 4 * FIRST_WINDOW];
        assert_eq!(waits, windows.map(|window| window + SAMPLES));
    }
}
