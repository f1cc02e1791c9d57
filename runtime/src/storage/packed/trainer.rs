//! Decides when to build a dictionary, and from which samples. Pure: no lock, no zstd.
//!
//! # Invariants
//!
//! 1. Samples hold at most `SAMPLES` objects and `MAX_SAMPLE_BYTES` bytes.
//! 2. At least `window` objects are packed between two dictionaries, and `window` doubles with each
//!    further one. So n objects cost O(log n) dictionaries, whatever their content.
//!
//! The first dictionary is a few verbatim objects. It needs no training, so lists do not wait for
//! it, types with few objects have one too, and no samples are left waiting. If objects are so
//! different that this dictionary compresses badly, the next one is trained on many objects, which
//! costs about as much as packing a thousand objects.

use std::mem;

/// Number of objects in the first dictionary. More objects hardly improve the compression.
const FIRST_SAMPLES: usize = 16;
/// Number of objects that a trained dictionary is built from.
const SAMPLES: usize = 128;
/// Maximum total size of those objects.
const MAX_SAMPLE_BYTES: usize = 256 << 10;
/// Maximum size of a sample. A larger object is not typical, and would leave no room for others.
const MAX_SAMPLE: usize = 32 << 10;
/// Estimated packed size of the parts that no other object shares: name, uid, times, addresses.
const OWN_BYTES: usize = 256;
/// Number of objects after which a new dictionary is first judged.
const FIRST_WINDOW: usize = 1024;

/// Observes packed objects and requests dictionaries.
#[derive(Debug)]
pub(super) struct Trainer {
    phase: TrainingPhase,
    window: usize,
    seen: Seen,
    /// `true` if the next dictionary is to be trained.
    trains: bool,
    /// Compression ratio of the dictionary's first window: packed bytes per 1000 unpacked bytes.
    first: Option<u64>,
}

#[derive(Debug)]
enum TrainingPhase {
    Collecting(Samples),
    /// A dictionary is being built. Objects that arrive meanwhile use the previous one.
    Making,
    /// The dictionary is judged after each window.
    Judging,
}

/// Totals of the current window.
#[derive(Debug, Default)]
struct Seen {
    objects: usize,
    packed: u64,
    unpacked: u64,
}

/// Request to build a dictionary.
#[derive(Debug)]
pub(super) enum Order {
    /// From the samples verbatim.
    Verbatim(Samples),
    /// By zstd's trainer from the samples.
    Trained(Samples),
}

/// Copies of objects, concatenated.
#[derive(Debug, Default)]
pub(super) struct Samples {
    bytes: Vec<u8>,
    lengths: Vec<usize>,
}

// === impl Trainer ===

impl Trainer {
    pub(super) fn new() -> Self {
        Self {
            phase: TrainingPhase::Collecting(Samples::default()),
            window: FIRST_WINDOW,
            seen: Seen::default(),
            trains: false,
            first: None,
        }
    }

    /// Returns the size of the samples that were collected so far.
    pub(super) fn sample_bytes(&self) -> usize {
        match &self.phase {
            TrainingPhase::Collecting(samples) => samples.bytes.capacity(),
            TrainingPhase::Making | TrainingPhase::Judging => 0,
        }
    }

    /// Records a packed object. The caller has to carry out a returned order, and then call
    /// [`on_made`](Self::on_made).
    #[must_use]
    pub(super) fn on_packed(&mut self, object: &[u8], packed: usize) -> Option<Order> {
        match &mut self.phase {
            TrainingPhase::Collecting(samples) => {
                samples.add(object);
                let wanted = if self.trains { SAMPLES } else { FIRST_SAMPLES };
                if samples.lengths.len() < wanted && !samples.is_full() {
                    return None;
                }
                let collected = mem::take(samples);
                self.phase = TrainingPhase::Making;
                Some(if self.trains {
                    Order::Trained(collected)
                } else {
                    Order::Verbatim(collected)
                })
            }
            TrainingPhase::Making => None,
            TrainingPhase::Judging => {
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

    /// Ends an order: its dictionary is in use, or the samples did not suffice for one.
    pub(super) fn on_made(&mut self) {
        self.phase = TrainingPhase::Judging;
        self.seen = Seen::default();
        self.first = None;
    }

    fn judge(&mut self) {
        let seen = mem::take(&mut self.seen);
        let ratio = seen.packed * 1000 / seen.unpacked.max(1);
        let is_good = is_good(seen.objects, seen.packed, seen.unpacked);
        match self.first {
            None if !self.trains && !is_good => self.collect(),
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
        self.phase = TrainingPhase::Collecting(Samples::default());
    }
}

/// Returns `true` if another dictionary would save little: beyond the parts that are unique to each
/// object, a tenth of the unpacked size is left.
pub(super) fn is_good(objects: usize, packed: u64, unpacked: u64) -> bool {
    packed <= unpacked / 10 + OWN_BYTES.saturating_mul(objects) as u64
}

/// Returns the worst acceptable ratio of a dictionary that started with `ratio`.
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

    /// Returns `true` if another object of maximum size may not fit.
    fn is_full(&self) -> bool {
        self.bytes.len() + MAX_SAMPLE > MAX_SAMPLE_BYTES
    }
}

#[cfg(test)]
mod tests;
