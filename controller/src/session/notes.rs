//! Notes of the writes that caches do not show yet.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! 1. Each write of an object replaces the note of an earlier write of the same object, unless their
//!    versions cannot be compared. The number of notes is bounded by the objects with unseen writes.
//! 2. `by_place` and `by_concern` name the notes in `all`, and no others.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::Arc;

use foldhash::HashMap;

use super::write::{Concern, OwnWrite};
use crate::engine::reaches;
use crate::object::{ResourceVersion, Uid};

/// Number of notes below which no note is dropped early.
const FEW: usize = 64;

/// Condition under which a cache shows a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// The cache has reached the version of the write.
    Version,
    /// The cache has reached the write's version, at which the object existed, and no longer holds
    /// the object.
    Gone,
    /// The server's version has to be asked for: the write had no answer, or none with a version.
    Unknown,
}

/// Write that some cache may not show.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) write: OwnWrite,
    pub(super) target: Target,
    pub(super) concerns: BTreeSet<Concern>,
    /// Numbers of the caches whose selectors or scope leave the object out.
    pub(super) left_out: Vec<u64>,
    /// Caches from which an earlier write removes the object, and the version of that write: they
    /// have no event of the writes that follow outside of their selectors.
    pub(super) exits: Vec<(u64, ResourceVersion)>,
    /// Path of the resource on the server, at which its version is asked for.
    pub(super) url: Arc<str>,
}

/// Relation of a cache to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// The cache shows the write, or a later state.
    Seen,
    /// The cache will show the write.
    Missing,
    /// The cache will never show the object, and does not hold it.
    LeftOut,
    /// The versions cannot be compared.
    Incomparable,
}

/// State of the server after a write without an answer.
#[derive(Debug)]
pub(super) enum Found {
    /// The object exists.
    Object(ResourceVersion, Option<Uid>),
    /// At this version, the object does not exist.
    Nothing(ResourceVersion),
    /// Version of the server. It contains the write, if the write was carried out.
    Bound(ResourceVersion),
}

/// Notes of a session by number.
#[derive(Debug, Default)]
pub(super) struct Notes {
    all: BTreeMap<u64, Arc<Note>>,
    /// By resource and namespace.
    by_place: HashMap<Arc<str>, HashMap<Arc<str>, BTreeSet<u64>>>,
    by_concern: HashMap<Concern, BTreeSet<u64>>,
    next: u64,
    /// Number of notes at which all are checked: twice their number at the last check.
    full: usize,
}

// === impl Note ===

impl Note {
    /// Compares the note with a cache that has reached `version` of the write's namespace. `holds`
    /// reports whether the cache holds what [may be](Self::may_be) the object.
    pub(super) fn sight(
        &self,
        cache: u64,
        version: &ResourceVersion,
        holds: impl Fn() -> bool,
    ) -> Sight {
        let target = self.exit(cache).unwrap_or(&self.write.resource_version);
        let reached = match self.target {
            Target::Unknown => Some(false),
            Target::Version => reaches(version, target),
            Target::Gone => reaches(version, target).map(|reached| reached && !holds()),
        };
        match reached {
            Some(true) => Sight::Seen,
            // The object may have matched before: then the cache still has to drop it.
            _ if self.left_out.contains(&cache) && !holds() => Sight::LeftOut,
            Some(false) => Sight::Missing,
            None => Sight::Incomparable,
        }
    }

    /// Reports whether an object with the name and this uid may be the written one.
    pub(super) fn may_be(&self, uid: Option<&Uid>) -> bool {
        uid.zip(self.write.uid.as_ref())
            .is_none_or(|(stored, written)| stored == written)
    }

    /// Reports whether the answer was complete without the object: the write has not changed it.
    pub(super) fn is_without_content(&self) -> bool {
        self.write.object.is_none() && self.target != Target::Unknown
    }

    /// Applies the server's state, which was asked for after the write. Returns `false` if nothing
    /// is left to be shown.
    pub(super) fn resolve(&mut self, found: &Found) -> bool {
        let is_deletion = self.write.verb == "delete";
        self.target = Target::Version;
        match found {
            Found::Object(version, uid) => {
                self.write.resource_version = version.clone();
                self.write.uid.clone_from(uid);
            }
            Found::Nothing(_) if is_deletion && self.write.resource_version.is_exact() => {
                self.target = Target::Gone;
            }
            // The request did not arrive, or its object is gone again.
            Found::Nothing(_) if !is_deletion => return false,
            Found::Nothing(version) | Found::Bound(version) => {
                self.write.resource_version = version.clone();
            }
        }
        true
    }

    /// Returns the version at which the object leaves a cache, if later writes do not concern it.
    pub(super) fn exit(&self, cache: u64) -> Option<&ResourceVersion> {
        let exit = self.exits.iter().find(|(exited, _)| *exited == cache);
        let left_out = self.left_out.contains(&cache);
        let own = left_out.then_some(&self.write.resource_version);
        exit.map(|(_, version)| version).or(own)
    }

    /// Takes over what an earlier write of the same object concerns. Returns `false` if both notes
    /// are needed.
    fn replaces(&mut self, earlier: &Self) -> bool {
        let (write, before) = (&mut self.write, &earlier.write);
        let is_same = write.name.is_some()
            && write.name == before.name
            && write.namespace == before.namespace
            && write.uid == before.uid;
        let unknown = [&self.target, &earlier.target].map(|target| *target == Target::Unknown);
        match write.resource_version.compare(&before.resource_version) {
            _ if !is_same => return false,
            // The answer to one question counts for both.
            _ if unknown == [true, true] && write.verb == before.verb => {}
            None => return false,
            Some(_) if unknown != [false, false] => return false,
            // Answers of concurrent requests can overtake each other.
            Some(Ordering::Less) => {
                write.resource_version = before.resource_version.clone();
                self.left_out.clone_from(&earlier.left_out);
                self.exits.clone_from(&earlier.exits);
            }
            Some(Ordering::Equal | Ordering::Greater) => {}
        }
        if earlier.target == Target::Gone {
            self.target = Target::Gone;
        }
        self.concerns.extend(earlier.concerns.iter().cloned());
        true
    }
}

// === impl Notes ===

impl Notes {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds a note. If there are many, returns the numbers of all: those that all caches show should
    /// be dropped.
    pub(super) fn add(&mut self, note: Note) -> Vec<u64> {
        self.put(self.next, note);
        self.next += 1;
        if self.all.len() < self.full.max(FEW) {
            return Vec::new();
        }
        self.full = 2 * self.all.len();
        self.all.keys().copied().collect()
    }

    /// Inserts a note with this number, in place of the earlier notes of its object.
    pub(super) fn put(&mut self, number: u64, mut note: Note) {
        if let Some(own) = note.write.concern() {
            let same = self.concerning([&own]);
            let same: Vec<_> = same
                .map(|(number, note)| (number, Arc::clone(note)))
                .collect();
            for (earlier, known) in same {
                if note.replaces(&known) {
                    self.remove(earlier);
                }
            }
            note.concerns.insert(own);
        }
        for concern in &note.concerns {
            let numbers = self.by_concern.entry(concern.clone()).or_default();
            numbers.insert(number);
        }
        let OwnWrite {
            resource,
            namespace,
            ..
        } = &note.write;
        let places = self.by_place.entry(Arc::clone(resource)).or_default();
        let numbers = places.entry(Arc::clone(namespace)).or_default();
        numbers.insert(number);
        self.all.insert(number, Arc::new(note));
    }

    pub(super) fn get(&self, number: u64) -> Option<&Arc<Note>> {
        self.all.get(&number)
    }

    /// Returns the notes of a resource: all, or those that concern one namespace.
    pub(super) fn of_place(
        &self,
        resource: &str,
        namespace: Option<&str>,
    ) -> impl Iterator<Item = (u64, &Arc<Note>)> {
        let places = self.by_place.get(resource).into_iter();
        let numbers = places.flat_map(move |places| match namespace {
            None => places.values().collect(),
            Some(name) => ["", name]
                .iter()
                .filter_map(|name| places.get(*name))
                .collect::<Vec<_>>(),
        });
        self.numbered(numbers.flatten())
    }

    /// Returns the notes that concern an object, oldest first.
    pub(super) fn concerning<'a>(
        &'a self,
        concerns: impl IntoIterator<Item = &'a Concern>,
    ) -> impl Iterator<Item = (u64, &'a Arc<Note>)> {
        let concerns = concerns.into_iter();
        let numbers = concerns.filter_map(|concern| self.by_concern.get(concern));
        self.numbered(numbers.flatten())
    }

    fn numbered<'a>(
        &'a self,
        numbers: impl Iterator<Item = &'a u64>,
    ) -> impl Iterator<Item = (u64, &'a Arc<Note>)> {
        numbers.filter_map(|number| Some((*number, self.get(*number)?)))
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (u64, &Arc<Note>)> {
        self.all.iter().map(|(number, note)| (*number, note))
    }

    /// Returns the notes whose outcome is unknown, of a path of the server.
    pub(super) fn unknown(&self, url: &str) -> Vec<u64> {
        let unknown = |note: &Note| note.target == Target::Unknown && *note.url == *url;
        let notes = self.all.iter().filter(|(_, note)| unknown(note));
        notes.map(|(number, _)| *number).collect()
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<Arc<Note>> {
        let note = self.all.remove(&number)?;
        if let Some(places) = self.by_place.get_mut(&note.write.resource) {
            remove(places, &note.write.namespace, number);
        }
        self.by_place.retain(|_, places| !places.is_empty());
        for concern in &note.concerns {
            remove(&mut self.by_concern, concern, number);
        }
        Some(note)
    }
}

fn remove<K: Eq + Hash>(map: &mut HashMap<K, BTreeSet<u64>>, key: &K, number: u64) {
    if let Some(numbers) = map.get_mut(key) {
        numbers.remove(&number);
        if numbers.is_empty() {
            map.remove(key);
        }
    }
}
