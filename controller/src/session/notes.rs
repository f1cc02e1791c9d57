//! Notes of the writes that caches do not show yet.
//!
//! Pure: time is an argument.
//!
//! # Invariants
//!
//! 1. Each write of an object replaces the note of an earlier write of the same object, unless their
//!    versions cannot be compared. The number of notes is bounded by the objects with unseen writes, and
//!    by [`MOST`] of those that no cache can show.
//! 2. `by_place`, `by_concern` and `folded` name the notes in `all`, and no others.
//! 3. No note has the content of an object.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use foldhash::HashMap;
use informer_runtime::engine::reaches;
use informer_runtime::{ObjectKey, ResourceVersion, Uid};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use tokio::time::Instant;

use super::write::{Concern, OwnWrite};

/// Number of notes below which no note is dropped early.
const FEW: usize = 64;

/// Number of notes from which on those that no cache can show are folded.
pub(super) const MOST: usize = 4096;

/// Verb of a folded note.
pub(super) const WRITES: &str = "writes";

/// Condition under which a cache shows a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoteTarget {
    /// The cache has reached the version of the write.
    Version,
    /// The cache has reached the write's version, at which the object existed, and no longer holds
    /// the object.
    Gone,
    /// The cache has reached the write's version, at which the server did not have the object, or no
    /// objects but the remaining ones. Until then, it holds no others of that time.
    Absent,
    /// The server has to be asked: the write had no answer, or none that tells how the object ends.
    Unknown,
}

/// Write that some cache may not show.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) write: OwnWrite,
    pub(super) target: NoteTarget,
    pub(super) concerns: BTreeSet<Concern>,
    /// Prefix of the name that the server has generated.
    pub(super) prefix: Option<Arc<str>>,
    /// Objects of the place that the server still had, for the deletion of a collection.
    pub(super) remaining: Arc<HashSet<Uid>>,
    /// Numbers of the caches whose selectors or scope leave the object out.
    pub(super) left_out: Vec<u64>,
    /// Caches from which an earlier write removes the object, and the version of that write: they
    /// have no event of the writes that follow outside of their selectors.
    pub(super) exits: Vec<(u64, ResourceVersion)>,
    /// Caches of which only the server knows whether they select the object.
    pub(super) unsure: Vec<u64>,
    /// Caches of a history that a restore of the server has lost, and the version that they had.
    pub(super) ahead: Vec<(u64, ResourceVersion)>,
    /// Number of the last answer of the server about the write.
    pub(super) answer: u64,
    /// Time until which no cache is waited for, because the server does not tell what became of the
    /// write.
    pub(super) given_up: Option<Instant>,
    /// Path of the resource on the server, at which the server is asked.
    pub(super) url: Arc<str>,
}

/// Relation of a cache to a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sight {
    /// The cache shows the write, or a later state.
    Seen,
    /// The cache shows what the write has left, and may still show an earlier state.
    Clear,
    /// The cache will show the write.
    Missing,
    /// The cache will never show the object, and does not hold it.
    LeftOut,
    /// The cache cannot show the write now.
    Unable,
    /// The versions cannot be compared.
    Incomparable,
}

/// Decision whether an informer has events of a written object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Selected {
    Yes,
    No,
    /// Only the server knows.
    Unsure,
}

/// Place of a written object in a cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotePlace {
    /// The cache will have an event of the write.
    Shown,
    /// Only the server knows.
    Unsure,
    /// The cache has no event of the write.
    LeftOut,
    /// The cache drops the object at this version, and has no event of what happens after that.
    Exits(ResourceVersion),
}

/// State of the server, of which it was asked after a write.
#[derive(Debug)]
pub(super) struct Found {
    /// Version of the server.
    pub(super) bound: ResourceVersion,
    /// `None` if the object does not exist.
    pub(super) object: Option<FoundObject>,
    /// Objects of the place, for a write without a name.
    pub(super) remaining: Arc<HashSet<Uid>>,
}

/// Object that the server has.
#[derive(Debug, Clone)]
pub(super) struct FoundObject {
    pub(super) version: ResourceVersion,
    pub(super) uid: Option<Uid>,
}

/// Effect of an answer on a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolved {
    /// Nothing is left to be shown.
    Done,
    /// Something else has to be shown.
    Changed,
    Unchanged,
}

/// Notes of a session by number.
#[derive(Debug, Default)]
pub(super) struct Notes {
    all: BTreeMap<u64, Arc<Note>>,
    /// By resource and namespace.
    by_place: HashMap<Arc<str>, HashMap<Arc<str>, BTreeSet<u64>>>,
    by_concern: HashMap<Concern, BTreeSet<u64>>,
    /// Notes that stand for several writes.
    folded: BTreeSet<u64>,
    next: u64,
    /// Number of notes at which all are checked: twice their number at the last check.
    full: usize,
}

// === impl Note ===

impl Note {
    /// Creates a note of a write without an answer.
    pub(super) fn new(write: OwnWrite, url: &str) -> Self {
        Self {
            write,
            target: NoteTarget::Unknown,
            concerns: BTreeSet::new(),
            prefix: None,
            remaining: Arc::default(),
            left_out: Vec::new(),
            exits: Vec::new(),
            unsure: Vec::new(),
            ahead: Vec::new(),
            answer: 0,
            given_up: None,
            url: url.into(),
        }
    }

    /// Returns a note of one of the objects of a write without a name. Its outcome is open.
    pub(super) fn of_object(
        &self,
        key: &ObjectKey,
        uid: Option<Uid>,
        resource_version: ResourceVersion,
    ) -> Self {
        let namespace = key.namespace().unwrap_or_default();
        let write = OwnWrite {
            namespace: namespace.into(),
            name: Some(key.name().into()),
            uid,
            resource_version,
            ..self.write.clone()
        };
        let url = match self.url.rsplit_once('/') {
            // The path of all namespaces.
            Some((base, plural)) if self.write.namespace.is_empty() && !namespace.is_empty() => {
                format!("{base}/namespaces/{namespace}/{plural}")
            }
            _ => self.url.to_string(),
        };
        Self {
            concerns: self.concerns.clone(),
            ..Self::new(write, &url)
        }
    }

    /// Compares the note with a cache that has reached `version` of the write's namespace. `holds`
    /// reports whether the cache holds an object that [is meant](Self::means).
    pub(super) fn sight(
        &self,
        cache: u64,
        version: &ResourceVersion,
        now: Instant,
        holds: impl Fn() -> bool,
    ) -> Sight {
        let target = self.exit(cache).unwrap_or(&self.write.resource_version);
        // The object may have matched before: then the cache still has to drop it.
        let is_outside = || self.left_out.contains(&cache) && !holds();
        let is_ahead = self.is_lost(cache, version) && !is_outside();
        let reached = match self.target {
            _ if is_ahead => Some(false),
            NoteTarget::Unknown => Some(false),
            NoteTarget::Version | NoteTarget::Absent => reaches(version, target),
            NoteTarget::Gone => reaches(version, target).map(|reached| reached && !holds()),
        };
        match reached {
            Some(true) => Sight::Seen,
            _ if self.given_up.is_some_and(|until| now < until) => Sight::Unable,
            _ if is_outside() => Sight::LeftOut,
            _ if self.target == NoteTarget::Absent && !is_ahead && !holds() => Sight::Clear,
            Some(false) => Sight::Missing,
            None => Sight::Incomparable,
        }
    }

    /// Reports whether a cache has the history that a restore of the server has lost.
    fn is_lost(&self, cache: u64, version: &ResourceVersion) -> bool {
        self.ahead
            .iter()
            .any(|(number, lost)| *number == cache && !version.is_older_than(lost))
    }

    /// Returns the place of the object in a cache. `selected` is `None` if the object is as earlier
    /// writes made it. `awaited` are the earlier writes that the cache has still to show: it will also
    /// show that the object leaves it, but nothing that happens after that.
    pub(super) fn place(
        &self,
        cache: u64,
        selected: Option<Selected>,
        awaited: &[Arc<Self>],
    ) -> NotePlace {
        let exit = awaited.iter().find_map(|earlier| earlier.exit(cache));
        match selected {
            None if exit.is_none() => NotePlace::Shown,
            Some(Selected::Yes) => NotePlace::Shown,
            Some(Selected::Unsure) => NotePlace::Unsure,
            Some(Selected::No) if awaited.is_empty() => NotePlace::LeftOut,
            // The version of the end is not known.
            None | Some(Selected::No) if self.target == NoteTarget::Unknown => NotePlace::Shown,
            None | Some(Selected::No) => {
                let version = exit.unwrap_or(&self.write.resource_version);
                NotePlace::Exits(version.clone())
            }
        }
    }

    /// Notes the place of the object in a cache.
    pub(super) fn set_place(&mut self, cache: u64, place: NotePlace) {
        match place {
            NotePlace::Shown => {}
            NotePlace::Unsure => self.unsure.push(cache),
            NotePlace::LeftOut => self.left_out.push(cache),
            NotePlace::Exits(version) => self.exits.push((cache, version)),
        }
    }

    /// Reports whether an object with the name and this uid may be the written one.
    pub(super) fn may_be(&self, uid: Option<&Uid>) -> bool {
        match (uid, &self.write.uid) {
            (Some(stored), Some(written)) => stored == written,
            (None, _) | (_, None) => true,
        }
    }

    /// Reports whether a stored object with the name of the note, or of its place if it has no name, is
    /// one that the write has changed or removed; or, of an absence, any that the server did not have: an
    /// earlier object of the same name was gone, too.
    pub(super) fn means(&self, uid: Option<&Uid>, version: &ResourceVersion) -> bool {
        if self.target != NoteTarget::Absent {
            return self.write.name.is_some() && self.may_be(uid);
        }
        if version.compare(&self.write.resource_version) == Some(Ordering::Greater) {
            return false;
        }
        match uid {
            Some(uid) => !self.remaining.contains(uid),
            None => true,
        }
    }

    pub(super) fn is_deletion(&self) -> bool {
        matches!(self.write.verb, "delete" | "deletecollection")
    }

    /// Applies the server's state. What a write with an answer waits for changes only if the server
    /// contradicts it: a restore has lost the write, or what was deleted remains.
    pub(super) fn resolve(&mut self, found: &Found) -> Resolved {
        let written = &self.write.resource_version;
        let is_older = match &found.object {
            Some(FoundObject { version, uid }) => {
                version.is_older_than(written) && self.may_be(uid.as_ref())
            }
            None => false,
        };
        let is_restored = is_older || found.bound.is_older_than(written);
        let is_open = self.target == NoteTarget::Unknown || is_restored;
        let is_known = self.write.uid.is_some() && self.write.resource_version.is_exact();
        match &found.object {
            Some(FoundObject { version, uid }) => {
                let remains = self.target != NoteTarget::Version && self.may_be(uid.as_ref());
                if !is_open && !remains {
                    return Resolved::Unchanged;
                }
                self.target = NoteTarget::Version;
                self.write.resource_version = version.clone();
                self.write.uid.clone_from(uid);
            }
            None if !is_open => return Resolved::Unchanged,
            None if is_known && !is_restored => self.target = NoteTarget::Gone,
            // The request did not arrive, or its object is gone again.
            None if matches!(self.write.verb, "create" | WRITES) => return Resolved::Done,
            // A patch may have ended the object.
            None => {
                self.target = NoteTarget::Absent;
                self.write.resource_version = found.bound.clone();
                self.remaining = Arc::clone(&found.remaining);
            }
        }
        Resolved::Changed
    }

    /// Returns the version at which the object leaves a cache, if later writes do not concern it.
    pub(super) fn exit(&self, cache: u64) -> Option<&ResourceVersion> {
        let exit = self.exits.iter().find(|(exited, _)| *exited == cache);
        match exit {
            Some((_, version)) => Some(version),
            None if self.left_out.contains(&cache) => Some(&self.write.resource_version),
            None => None,
        }
    }

    /// Takes over what an earlier write of the same object concerns. Returns `false` if both notes
    /// are needed.
    fn replaces(&mut self, earlier: &Self) -> bool {
        let write = &mut self.write;
        let before = &earlier.write;
        let are_absent = self.target == NoteTarget::Absent && earlier.target == NoteTarget::Absent;
        if write.name.is_none() && !are_absent {
            return false;
        }
        let is_same = write.name == before.name
            && write.namespace == before.namespace
            && write.uid == before.uid;
        if !is_same {
            return false;
        }
        let is_unknown = self.target == NoteTarget::Unknown;
        let was_unknown = earlier.target == NoteTarget::Unknown;
        match write.resource_version.compare(&before.resource_version) {
            // The answer to one question counts for both.
            _ if is_unknown && was_unknown && write.verb == before.verb => {}
            None => return false,
            Some(_) if is_unknown || was_unknown => return false,
            // A restore has lost the earlier write.
            Some(Ordering::Less) if !self.ahead.is_empty() => {}
            // Answers of concurrent requests can overtake each other.
            Some(Ordering::Less) => {
                write.resource_version = before.resource_version.clone();
                self.remaining.clone_from(&earlier.remaining);
                self.left_out.clone_from(&earlier.left_out);
                self.exits.clone_from(&earlier.exits);
                self.unsure.clone_from(&earlier.unsure);
                self.ahead.clone_from(&earlier.ahead);
            }
            Some(Ordering::Equal | Ordering::Greater) => {}
        }
        if earlier.target == NoteTarget::Gone {
            self.target = NoteTarget::Gone;
        }
        self.concerns.extend(earlier.concerns.iter().cloned());
        true
    }
}

// === impl FoundObject ===

impl FoundObject {
    pub(super) fn of(meta: &ObjectMeta) -> Self {
        let version = meta.resource_version.as_deref().unwrap_or_default();
        Self {
            version: ResourceVersion::new(version),
            uid: meta.uid.as_deref().map(Uid::new),
        }
    }
}

// === impl Notes ===

impl Notes {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns the number of the next note.
    pub(super) fn next_number(&self) -> u64 {
        self.next
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
        let own = note.write.concern();
        let same: Vec<_> = match &own {
            Some(own) => self.concerning([own]).map(clone).collect(),
            None if note.target == NoteTarget::Absent => self
                .of_place(&note.write.resource, Some(&note.write.namespace))
                .map(clone)
                .collect(),
            None => Vec::new(),
        };
        for (earlier, known) in same {
            if note.replaces(&known) {
                self.remove(earlier);
            }
        }
        note.concerns.extend(own);
        for concern in &note.concerns {
            self.by_concern
                .entry(concern.clone())
                .or_default()
                .insert(number);
        }
        self.by_place
            .entry(Arc::clone(&note.write.resource))
            .or_default()
            .entry(Arc::clone(&note.write.namespace))
            .or_default()
            .insert(number);
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
        let mut numbers = Vec::new();
        if let Some(places) = self.by_place.get(resource) {
            match namespace {
                None => numbers.extend(places.values()),
                Some(name) => {
                    numbers.extend(places.get(""));
                    numbers.extend(places.get(name));
                }
            }
        }
        self.numbered(numbers.into_iter().flatten())
    }

    /// Returns the notes that concern an object, oldest first.
    pub(super) fn concerning<'a>(
        &'a self,
        concerns: impl IntoIterator<Item = &'a Concern>,
    ) -> impl Iterator<Item = (u64, &'a Arc<Note>)> {
        let numbers = concerns
            .into_iter()
            .filter_map(|concern| self.by_concern.get(concern))
            .flatten();
        self.numbered(numbers)
    }

    /// Returns the notes that stand for several writes: they may concern each object.
    pub(super) fn folded(&self) -> impl Iterator<Item = (u64, &Arc<Note>)> {
        self.numbered(self.folded.iter())
    }

    fn numbered<'a>(
        &'a self,
        numbers: impl Iterator<Item = &'a u64>,
    ) -> impl Iterator<Item = (u64, &'a Arc<Note>)> {
        numbers.filter_map(|number| Some((*number, self.get(*number)?)))
    }

    /// Returns the notes of a path of the server that satisfy a condition.
    pub(super) fn of_url(
        &self,
        url: &str,
        condition: impl Fn(u64, &Arc<Note>) -> bool,
    ) -> Vec<u64> {
        self.all()
            .filter(|(number, note)| *note.url == *url && condition(*number, note))
            .map(|(number, _)| number)
            .collect()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (u64, &Arc<Note>)> {
        self.all.iter().map(|(number, note)| (*number, note))
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
        self.folded.remove(&number);
        Some(note)
    }

    /// Removes a note that will be changed.
    pub(super) fn take(&mut self, number: u64) -> Option<Note> {
        self.remove(number).map(Arc::unwrap_or_clone)
    }

    /// Lets one note of a place stand for this one and others that no cache can show: a cache shows
    /// them when it has reached the latest version.
    pub(super) fn fold(&mut self, number: u64) {
        let Some(note) = self.remove(number) else {
            return;
        };
        let same = self.folded().find(|(_, folded)| {
            folded.url == note.url
                && folded.write.namespace == note.write.namespace
                && folded.left_out == note.left_out
        });
        let (number, mut version) = match same {
            Some((same, folded)) => (same, folded.write.resource_version.clone()),
            None => (number, ResourceVersion::UNSET),
        };
        self.remove(number);
        if version.is_unset() || version.is_older_than(&note.write.resource_version) {
            version = note.write.resource_version.clone();
        }
        let write = OwnWrite {
            verb: WRITES,
            name: None,
            uid: None,
            resource_version: version,
            ..note.write.clone()
        };
        let target = if write.resource_version.is_unset() {
            NoteTarget::Unknown
        } else {
            NoteTarget::Version
        };
        let folded = Note {
            target,
            left_out: note.left_out.clone(),
            ..Note::new(write, &note.url)
        };
        self.put(number, folded);
        self.folded.insert(number);
    }
}

fn clone((number, note): (u64, &Arc<Note>)) -> (u64, Arc<Note>) {
    (number, Arc::clone(note))
}

fn remove<K: Eq + Hash>(map: &mut HashMap<K, BTreeSet<u64>>, key: &K, number: u64) {
    if let Some(numbers) = map.get_mut(key) {
        numbers.remove(&number);
        if numbers.is_empty() {
            map.remove(key);
        }
    }
}
