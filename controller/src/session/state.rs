//! [`SessionState`]: the caches of a session, and its notes. Decides which cache has to show which write.

use std::sync::Arc;

use foldhash::HashMap;
use informer_runtime::engine::reaches;
use informer_runtime::lister::CacheId;
use informer_runtime::{Entry, GenericInformer, ObjectKey, ResourceVersion, Uid};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::cache::{Cache, Content};
use super::need::Need;
use super::notes::{Found, MOST, Note, NoteTarget, Notes, Resolved, Selected, Sight};
use super::question::{Listing, Question, ServerAnswer};
use super::write::OwnWrite;

/// Number of writes of a resource whose outcome is open up to which the server is asked for each of their
/// objects. Of more, it is asked for all objects of the place.
const QUESTIONS: usize = 8;

#[derive(Default)]
pub(super) struct SessionState {
    pub(super) caches: HashMap<CacheId, Arc<Cache>>,
    /// Informers that are not of the factory.
    pub(super) added: HashMap<CacheId, GenericInformer>,
    pub(super) notes: Notes,
    /// Number of answers to questions.
    pub(super) answers: u64,
}

/// State of a cache before a request was sent.
pub(super) struct Before {
    cache: Arc<Cache>,
    version: ResourceVersion,
    pub(super) entry: Option<Entry>,
    /// Version of the object, decoded or not.
    object: Option<ResourceVersion>,
}

// === impl SessionState ===

impl SessionState {
    /// Returns the caches that a write may concern.
    pub(super) fn caches_of(&self, write: &OwnWrite) -> impl Iterator<Item = &Arc<Cache>> {
        self.caches
            .values()
            .filter(move |cache| cache.follows(write))
    }

    /// Returns what the caches have before a request.
    pub(super) fn before(&self, write: &OwnWrite) -> Vec<Before> {
        let key = write.key();
        self.caches_of(write)
            .map(|cache| Before::of(cache, &write.namespace, key.as_ref()))
            .collect()
    }

    /// Returns the uid of an object, with the version of the latest write that is noted, or of a cache
    /// if none is.
    pub(super) fn known(
        &self,
        write: &OwnWrite,
        before: &[Before],
    ) -> Option<(Uid, ResourceVersion)> {
        let own = write.concern()?;
        let noted = self
            .notes
            .concerning([&own])
            .map(|(_, note)| (&note.write.uid, &note.write.resource_version))
            .filter(|(_, version)| version.is_exact());
        before
            .iter()
            .filter_map(|before| before.entry.as_ref())
            .map(|entry| (&entry.uid, &entry.resource_version))
            .chain(noted)
            .filter_map(|(uid, version)| Some((uid.clone()?, version.clone())))
            .last()
    }

    /// Reports whether all caches that the write concerns show it.
    pub(super) fn is_seen(&self, note: &Note) -> bool {
        self.caches_of(&note.write)
            .all(|cache| cache.sight(note) == Sight::Seen)
    }

    /// Returns the caches that have to show a write, and can.
    pub(super) fn needs(&self, number: u64, note: &Arc<Note>) -> impl Iterator<Item = Need> {
        self.caches_of(&note.write)
            .filter(|cache| {
                let informer = &cache.informer;
                informer.has_started() && !informer.is_stopped() && cache.awaits(note)
            })
            .map(move |cache| Need::new(number, note, cache, self.answers))
    }

    /// Reports whether some cache has to show a write, and can.
    pub(super) fn is_awaited(&self, number: u64, note: &Arc<Note>) -> bool {
        self.needs(number, note).next().is_some()
    }

    /// Notes the caches that have no event of the write, because the object is outside of their
    /// selectors or scope.
    pub(super) fn leave_out(&self, note: &mut Note, content: Content<'_>) {
        let caches: Vec<_> = self.caches_of(&note.write).cloned().collect();
        note.left_out.clear();
        note.exits.clear();
        note.unsure.clear();
        for cache in caches {
            let earlier = self.awaited(note, &cache);
            let selected = match content {
                // The object is as the earlier writes made it.
                Content::Unchanged if !earlier.is_empty() => None,
                Content::Unchanged | Content::Object(_) | Content::Unknown => {
                    Some(cache.selects(note, content))
                }
            };
            note.set_place(cache.number, note.place(cache.number, selected, &earlier));
        }
    }

    /// Returns the earlier writes of the object that a cache has still to show.
    fn awaited(&self, note: &Note, cache: &Cache) -> Vec<Arc<Note>> {
        self.notes
            .concerning(&note.write.concern())
            .map(|(_, earlier)| earlier)
            // Another object with its name has events of its own.
            .filter(|earlier| note.may_be(earlier.write.uid.as_ref()))
            .filter(|earlier| cache.sight(earlier) == Sight::Missing)
            .cloned()
            .collect()
    }

    /// Notes the caches that had reached the version of a write before it was sent, although the write
    /// has changed the object: their history is not that of the server any more.
    pub(super) fn compare_with_write(note: &mut Note, before: &[Before]) {
        let version = note.write.resource_version.clone();
        let selects = |number| note.exit(number).is_none() && !note.unsure.contains(&number);
        note.ahead = before
            .iter()
            .filter(|before| {
                note.target == NoteTarget::Version
                    && selects(before.cache.number)
                    && before.contradicts(&version)
            })
            .map(Before::reached)
            .collect();
    }

    /// Notes the caches that were ahead of the server, or had reached another state of the object.
    fn compare_with_server(
        note: &mut Note,
        before: &[Before],
        found: &Found,
        content: Content<'_>,
    ) {
        let is_lost = |before: &&Before| match &found.object {
            _ if found.bound.is_older_than(&before.version) => true,
            Some((version, _)) => {
                before.contradicts(version) && before.cache.selects(note, content) == Selected::Yes
            }
            None => before.object.is_some() && !before.version.is_older_than(&found.bound),
        };
        note.ahead = before.iter().filter(is_lost).map(Before::reached).collect();
    }

    // --- questions ---

    /// Returns the question that tells what a need waits for; `None` if that is known. With `doubts`,
    /// also if the answer to the write told it: a restore may have lost the write since.
    pub(super) fn question(&self, need: &Need, doubts: bool) -> Option<Question> {
        let note = self.notes.get(need.number)?;
        if !need.cache.awaits(note) || note.answer > need.answers {
            return None;
        }
        let is_open = |note: &Note| note.target == NoteTarget::Unknown;
        if is_open(note) || doubts {
            let mut open = self.notes.of_url(&note.url, |number, other| {
                is_open(other) || (doubts && self.is_awaited(number, other))
            });
            let mut name = None;
            if open.len() <= QUESTIONS && note.write.name.is_some() {
                name.clone_from(&note.write.name);
                open = vec![need.number];
            }
            let url = Arc::clone(&note.url);
            return Some(Question::Objects { url, name, open });
        }
        if !note.unsure.contains(&need.cache.number) {
            return None;
        }
        Some(Question::Selection {
            number: need.number,
            url: Arc::clone(&note.url),
            name: note.write.name.clone()?,
            cache: Arc::clone(&need.cache),
        })
    }

    /// Returns what the caches have of the writes of a question before it is asked.
    pub(super) fn before_question(&self, question: &Question) -> HashMap<u64, Vec<Before>> {
        question
            .numbers()
            .iter()
            .filter_map(|number| Some((*number, self.before(&self.notes.get(*number)?.write))))
            .collect()
    }

    /// Applies an answer.
    pub(super) fn learn(
        &mut self,
        question: &Question,
        answer: ServerAnswer,
        before: &HashMap<u64, Vec<Before>>,
    ) {
        self.answers += 1;
        let before_of = |number: &u64| before.get(number).map(Vec::as_slice).unwrap_or_default();
        match (question, answer) {
            (Question::Selection { number, cache, .. }, ServerAnswer::Selection(is_selected)) => {
                let Some(mut note) = self.notes.take(*number) else {
                    return;
                };
                note.unsure.retain(|unsure| *unsure != cache.number);
                if !is_selected {
                    let earlier = self.awaited(&note, cache);
                    let place = note.place(cache.number, Some(Selected::No), &earlier);
                    note.set_place(cache.number, place);
                }
                self.notes.put(*number, note);
            }
            (Question::Objects { open, .. }, ServerAnswer::Object(found, object)) => {
                for number in open {
                    self.resolve(*number, &found, object.as_ref(), before_of(number));
                }
            }
            (Question::Objects { open, .. }, ServerAnswer::Place(listing)) => {
                for number in open {
                    self.resolve_from(*number, &listing, before_of(number));
                }
            }
            _ => {}
        }
    }

    /// Applies the list of all objects of a place to one of its notes.
    fn resolve_from(&mut self, number: u64, listing: &Listing, before: &[Before]) {
        let Some(note) = self.notes.get(number).map(Arc::clone) else {
            return;
        };
        let key = note.write.key();
        let object = key.and_then(|key| listing.objects.get(&key));
        let found = Found {
            bound: listing.version.clone(),
            object: object.map(version_of),
            remaining: Arc::clone(&listing.uids),
        };
        let content = object.map(|meta| json!({ "metadata": meta }));
        self.resolve(number, &found, content.as_ref(), before);
        if note.write.name.is_some() {
            return;
        }
        // What the write may have made, or marked as deleted.
        let may_be_written = |meta: &ObjectMeta| match &note.prefix {
            Some(prefix) => meta.generate_name.as_deref() == Some(&**prefix),
            None => note.is_deletion() && meta.deletion_timestamp.is_some(),
        };
        for (key, meta) in &listing.objects {
            if !may_be_written(meta) {
                continue;
            }
            let (version, uid) = version_of(meta);
            let mut candidate = note.of_object(key, uid, version);
            candidate.target = NoteTarget::Version;
            let content = json!({ "metadata": meta });
            self.leave_out(&mut candidate, Content::Object(&content));
            if !self.is_seen(&candidate) {
                self.notes.add(candidate);
            }
        }
    }

    /// Applies the server's state to a write. `object` is the content as the write, or a later one, has
    /// made it.
    fn resolve(&mut self, number: u64, found: &Found, object: Option<&Value>, before: &[Before]) {
        let Some(mut note) = self.notes.take(number) else {
            return;
        };
        let content = object.map_or(Content::Unchanged, Content::Object);
        match note.resolve(found) {
            Resolved::Done => return,
            Resolved::Changed => self.leave_out(&mut note, content),
            Resolved::Unchanged => {}
        }
        Self::compare_with_server(&mut note, before, found, content);
        note.answer = self.answers;
        self.notes.put(number, note);
    }

    /// Waits for these writes no more until then: the server does not tell what became of them.
    pub(super) fn give_up(&mut self, numbers: &[u64], until: Instant) -> Vec<OwnWrite> {
        let mut given_up = Vec::new();
        for number in numbers {
            let is_open = |note: &Arc<Note>| note.target == NoteTarget::Unknown;
            if !self.notes.get(*number).is_some_and(is_open) {
                continue;
            }
            if let Some(mut note) = self.notes.take(*number) {
                if note.given_up.replace(until).is_none() {
                    given_up.push(note.write.clone());
                }
                self.notes.put(*number, note);
            }
        }
        given_up
    }

    /// Folds notes that no cache can show now, if there are many.
    pub(super) fn fold(&mut self) {
        if self.notes.len() < MOST {
            return;
        }
        let idle: Vec<u64> = self
            .notes
            .all()
            .filter(|(number, note)| !self.is_awaited(*number, note))
            .map(|(number, _)| number)
            .take(MOST / 2)
            .collect();
        for number in idle {
            self.notes.fold(number);
        }
    }
}

// === impl Before ===

impl Before {
    fn of(cache: &Arc<Cache>, namespace: &str, key: Option<&ObjectKey>) -> Self {
        let snapshot = cache.store.snapshot();
        let entry = key.and_then(|key| snapshot.entry(key));
        let undecodable = key.and_then(|key| snapshot.undecodable(key));
        let object = undecodable
            .map(|object| &object.resource_version)
            .or(entry.map(|entry| &entry.resource_version));
        Self {
            cache: Arc::clone(cache),
            version: snapshot.version_of(namespace).clone(),
            object: object.cloned(),
            entry: entry.cloned(),
        }
    }

    /// Reports whether the cache had reached a version of the object, but with another state of it.
    fn contradicts(&self, version: &ResourceVersion) -> bool {
        reaches(&self.version, version) == Some(true) && self.object.as_ref() != Some(version)
    }

    /// Returns the cache with its version.
    fn reached(&self) -> (u64, ResourceVersion) {
        (self.cache.number, self.version.clone())
    }
}

fn version_of(meta: &ObjectMeta) -> (ResourceVersion, Option<Uid>) {
    let version = meta.resource_version.as_deref().unwrap_or_default();
    (
        ResourceVersion::new(version),
        meta.uid.as_deref().map(Uid::new),
    )
}
