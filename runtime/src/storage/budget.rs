//! [`Budget`], and the [`Account`] that keeps it: the memory of all informers of a factory.
//!
//! Bodies of [`Tiered`](crate::storage::Tiered) objects are counted as they come and go. The memory of
//! everything else is measured from time to time, and reported as one number.
//!
//! # Invariants
//!
//! 1. A body is in the account from [`Account::keep`] until [`Account::release`], each with the same
//!    size.
//! 2. The lock of the clock is not held while a body is evicted.

mod clock;

use std::sync::Weak;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use self::clock::{Clock, Look};
use crate::object::TypeForm;

/// Maximum memory of a factory's informers.
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// # use informer_runtime::{SharedInformerFactory, Tiered};
/// use informer::factory::Budget;
///
/// # fn doc(client: kube::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let factory = SharedInformerFactory::builder(client)
///     .memory(Budget::bytes(192 << 20))
///     .build()?;
/// let tiered = factory.stored_as::<Tiered>();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    bytes: usize,
}

/// Memory that the informers of a factory hold, and the bodies that can be evicted.
#[derive(Debug)]
pub(crate) struct Account {
    budget: Budget,
    /// Size of the kept bodies.
    bodies: AtomicUsize,
    /// Size of the objects that stay decoded.
    decoded: AtomicUsize,
    /// Size of the templates of all `Tiered` storages, which are not evicted.
    templates: AtomicUsize,
    /// Number of the kept parts of each class.
    parts: [AtomicUsize; CLASSES],
    /// Latest measurement of everything else.
    others: AtomicUsize,
    clock: Mutex<Clock<Slot>>,
}

/// Parts of an object that can be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Decoded,
}

/// Object with parts that can be evicted.
pub(crate) trait Evict: Send + Sync {
    /// Takes one of the reads that the clock has not seen yet. Returns `false` if there is none.
    fn take_read(&self) -> bool;
    /// Drops the part, and [releases](Account::release) its size.
    fn evict(&self, part: Part);
}

type Slot = (Weak<dyn Evict>, Part);
/// Average memory of a place in the clock, whose queues grow by doubling.
pub(crate) const SLOT_BYTES: usize = size_of::<Slot>() / 2 * 3;

/// Object with the size of the part that is kept.
pub(crate) type Kept = (usize, Weak<dyn Evict>);

/// One class for each power of two up to 1 GiB, and one for decoded objects.
const CLASSES: usize = 32;
const DECODED: usize = CLASSES - 1;
/// Part of the budget in percent, from which on bodies are evicted.
const SOFT_MARK: usize = 80;
/// Part of the budget in percent for objects that stay decoded.
const DECODED_SHARE: usize = 20;
/// Part of the budget in percent for the templates of packed objects.
const TEMPLATE_SHARE: usize = 5;

/// Estimates the memory of decoded objects from the size of their encoded forms. A type with many
/// fields has large structs, most of whose fields are unset, inside too: an encoded Pod of 4 KiB takes
/// 22 KiB. A `ConfigMap` of long texts takes little more than its text, and is estimated too high.
pub(crate) fn decoded_bytes<T: 'static>(objects: usize, encoded: usize) -> usize {
    let structs = objects + encoded / STRUCT_BYTES;
    let size = match TypeForm::of::<T>() {
        TypeForm::Dynamic => DYNAMIC_BYTES,
        TypeForm::Typed | TypeForm::Metadata => size_of::<T>(),
    };
    encoded + structs * size
}

/// Size of the encoded form for which one more struct of the object's size is counted.
const STRUCT_BYTES: usize = 512;
/// Size that counts as that of a `DynamicObject`, which is a tree of maps.
const DYNAMIC_BYTES: usize = 3 << 10;

/// Use of the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) enum Level {
    #[default]
    Below,
    /// About as much is used as the soft mark allows: bodies are evicted, or soon will be.
    Evicting,
    /// The memory that no eviction frees exceeds the budget.
    Over,
}

// === impl Budget ===

impl Budget {
    /// Creates a budget of this many bytes.
    #[must_use]
    pub fn bytes(bytes: usize) -> Self {
        Self { bytes }
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn as_bytes(self) -> usize {
        self.bytes
    }

    fn percent(self, percent: usize) -> usize {
        self.bytes / 100 * percent
    }
}

// === impl Part ===

impl Part {
    fn class(self, bytes: usize) -> usize {
        match self {
            Self::Body => (bytes.max(1).ilog2() as usize).min(DECODED - 1),
            Self::Decoded => DECODED,
        }
    }
}

// === impl Account ===

impl Account {
    pub(crate) fn new(budget: Budget) -> Self {
        Self {
            budget,
            bodies: AtomicUsize::new(0),
            decoded: AtomicUsize::new(0),
            templates: AtomicUsize::new(0),
            parts: [const { AtomicUsize::new(0) }; CLASSES],
            others: AtomicUsize::new(0),
            clock: Mutex::new(Clock::new(CLASSES)),
        }
    }

    /// Returns the budget; `None` without a bound.
    pub(crate) fn budget(&self) -> Option<Budget> {
        (self.budget.bytes < usize::MAX).then_some(self.budget)
    }

    /// Returns the memory of everything that is counted.
    pub(crate) fn used(&self) -> usize {
        let size = |part| self.size(part).load(Ordering::Relaxed);
        self.fixed() + size(Part::Body) + size(Part::Decoded)
    }

    /// Returns the memory that no eviction frees.
    pub(crate) fn fixed(&self) -> usize {
        self.others.load(Ordering::Relaxed)
    }

    /// Returns the size from which on bodies are evicted.
    pub(crate) fn soft_mark(&self) -> usize {
        self.budget.percent(SOFT_MARK)
    }

    /// Returns the level of use after this one. A level ends some way below its beginning, so that
    /// it does not flap.
    pub(crate) fn level(&self, last: Level) -> Level {
        let over = if last == Level::Over { 95 } else { 100 };
        let evicting = if last == Level::Below { 75 } else { 65 };
        if self.fixed() > self.budget.percent(over) {
            Level::Over
        } else if self.used() > self.budget.percent(evicting) {
            Level::Evicting
        } else {
            Level::Below
        }
    }

    /// Sets the memory of everything but bodies and decoded objects of `Tiered` storages.
    pub(crate) fn set_others(&self, bytes: usize) {
        self.others.store(bytes, Ordering::Relaxed);
        self.make_room();
    }

    /// Returns `true` if an object of this size may stay decoded.
    pub(crate) fn keeps_decoded(&self, bytes: usize) -> bool {
        self.budget().is_some() && bytes <= self.budget.percent(DECODED_SHARE) / 4
    }

    /// Counts a part of each object, and evicts the parts for which they leave no room, which can be
    /// among them.
    pub(crate) fn keep(&self, part: Part, objects: Vec<Kept>) {
        let bytes = objects.iter().map(|(bytes, _)| bytes).sum();
        self.size(part).fetch_add(bytes, Ordering::Relaxed);
        let is_gone = |(object, _): &Slot| object.strong_count() == 0;
        let mut gone = Vec::new();
        let mut clock = self.clock.lock();
        for (bytes, object) in objects {
            let class = part.class(bytes);
            let kept = 1 + self.count(class).fetch_add(1, Ordering::Relaxed);
            gone.append(&mut clock.push(class, (object, part), kept, is_gone));
        }
        drop(clock);
        drop(gone);
        self.make_room();
    }

    /// Removes a part of this size, which was evicted or whose object was dropped.
    pub(crate) fn release(&self, part: Part, bytes: usize) {
        self.count(part.class(bytes))
            .fetch_sub(1, Ordering::Relaxed);
        self.size(part).fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts a template, which will be part of the [other memory](Self::set_others). Returns `false`
    /// if templates have used up their share of the budget.
    pub(crate) fn reserve_template(&self, bytes: usize) -> bool {
        let share = self.budget.percent(TEMPLATE_SHARE);
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= share);
        let reserved = self
            .templates
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add);
        reserved.is_ok()
    }

    /// Removes a reserved template of this size.
    pub(crate) fn release_template(&self, bytes: usize) {
        self.templates.fetch_sub(bytes, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn templates(&self) -> usize {
        self.templates.load(Ordering::Relaxed)
    }

    fn make_room(&self) {
        while let Some((object, part)) = self.victim() {
            if let Some(object) = object.upgrade() {
                object.evict(part);
            }
        }
    }

    /// Returns the next part to evict; `None` if there is room enough, or nothing to evict.
    fn victim(&self) -> Option<Slot> {
        let is_full = self.used() > self.soft_mark();
        let decoded = self.decoded.load(Ordering::Relaxed);
        if !is_full && decoded <= self.budget.percent(DECODED_SHARE) {
            return None;
        }
        // Bodies of a class are between one and two times as large as the smallest.
        let smallest = |class: usize| self.count(class).load(Ordering::Relaxed) << class;
        let size = |class: usize| match class {
            DECODED => decoded,
            _ => smallest(class) / 2 * 3,
        };
        let mut classes: Vec<_> = (0..CLASSES)
            .filter(|class| is_full || *class == DECODED)
            .map(|class| (size(class), class))
            .collect();
        classes.sort_unstable_by(|one, other| other.cmp(one));
        let look = |(object, _): &Slot| match object.upgrade() {
            None => Look::Gone,
            Some(object) if object.take_read() => Look::Read,
            Some(_) => Look::Unread,
        };
        let mut clock = self.clock.lock();
        classes
            .into_iter()
            .find_map(|(_, class)| clock.victim(class, look))
    }

    fn size(&self, part: Part) -> &AtomicUsize {
        match part {
            Part::Body => &self.bodies,
            Part::Decoded => &self.decoded,
        }
    }

    #[expect(clippy::indexing_slicing, reason = "`Part::class` is in bounds")]
    fn count(&self, class: usize) -> &AtomicUsize {
        &self.parts[class]
    }
}

/// An account without a bound.
impl Default for Account {
    fn default() -> Self {
        Self::new(Budget::bytes(usize::MAX))
    }
}

#[cfg(test)]
mod tests;
