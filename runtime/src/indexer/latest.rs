//! [`Latest`]: finds the stored version of an object by the hash of its key.
//!
//! All states of a store share one map. The map is a shortcut beside the ordered maps of a state:
//! it may lack an object, but an answer of the map is the answer of the state that asks.
//!
//! # Invariants
//!
//! 1. The writer replaces or removes the mark of a key before it publishes the generation that
//!    changes the key. Each mark carries that generation.
//! 2. So a mark whose generation is not above that of a published state shows the entry that this
//!    state holds. A newer mark belongs to a transaction that the state does not contain: the
//!    reader searches the state instead.
//! 3. Marks do not own entries. Reclamation of a mark, which may happen on a reader's thread,
//!    frees no object; the mark of a transaction that panicked leads nowhere. A reader that found
//!    an entry holds a state that owns the entry, and so never drops the last reference.
//! 4. Keys with equal hashes share one mark. The one written last is found, the other keys are
//!    searched in the state.

use std::sync::{Arc, Weak};

use foldhash::fast::RandomState;

use crate::base::sync::HashMap;
use crate::object::{KeyLookup, ObjectKey};
use crate::storage::Entry;

/// The latest version of each stored object, by the hash of its key.
pub(super) struct Latest(HashMap<u32, Mark, RandomState>);

/// One version of an object.
struct Mark {
    /// Generation of the first state that holds the version.
    generation: u64,
    entry: Weak<Entry>,
}

/// Number of keys that are looked up together.
pub(super) const LOOKAHEAD: usize = 16;

// === impl Latest ===

impl Latest {
    pub(super) fn new() -> Self {
        Self(HashMap::with_hasher(RandomState::default()))
    }

    /// Returns the entry of `key` in the state of this generation; `None` if the map cannot say.
    pub(super) fn find<Q: KeyLookup + ?Sized>(
        &self,
        key: &Q,
        generation: u64,
    ) -> Option<Arc<Entry>> {
        let marks = self.0.pin();
        let mark = marks.get(&key.key_hash())?;
        mark.entry_at(generation, key)
    }

    /// Returns the entries of several keys as [`find`](Self::find) does.
    ///
    /// Reads all marks, and whether their entries exist, before it takes the first reference. A
    /// processor overlaps loads that miss its cache, but not across a change of a reference count.
    pub(super) fn find_all(
        &self,
        keys: &[Option<&ObjectKey>; LOOKAHEAD],
        generation: u64,
    ) -> [Option<Arc<Entry>>; LOOKAHEAD] {
        let marks = self.0.pin();
        let found = keys.map(|key| {
            let mark = marks.get(&key?.key_hash())?;
            (mark.entry.strong_count() > 0).then_some((key?, mark))
        });
        found.map(|found| found.and_then(|(key, mark)| mark.entry_at(generation, key)))
    }

    /// Marks `entry` as what the state of this generation, which is not published yet, will hold.
    pub(super) fn insert(&self, entry: &Arc<Entry>, generation: u64) {
        let mark = Mark {
            generation,
            entry: Arc::downgrade(entry),
        };
        self.0.pin().insert(entry.key.key_hash(), mark);
    }

    /// Removes the mark of a key that the next state will not hold.
    pub(super) fn remove(&self, key: &ObjectKey) {
        self.0.pin().remove(&key.key_hash());
    }
}

// === impl Mark ===

impl Mark {
    /// Returns the marked entry if the state of this generation holds it under `key`.
    fn entry_at<Q: KeyLookup + ?Sized>(&self, generation: u64, key: &Q) -> Option<Arc<Entry>> {
        if self.generation > generation {
            return None;
        }
        let entry = self.entry.upgrade()?;
        key.equivalent(&entry.key).then_some(entry)
    }
}
