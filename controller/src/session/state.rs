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
use super::notes::{Found, FoundObject, MOST, Note, NoteTarget, Notes, Resolved, Selected, Sight};
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
            .filter(|cache| has_to_show(cache, note))
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
        note.ahead.clear();
        if note.target != NoteTarget::Version {
            return;
        }
        let version = &note.write.resource_version;
        for before in before {
            let number = before.cache.number;
            let has_event = note.exit(number).is_none() && !note.unsure.contains(&number);
            if has_event && before.contradicts(version) {
                note.ahead.push(before.reached());
            }
        }
    }

    /// Notes the caches that were ahead of the server, or had reached another state of the object.
    fn compare_with_server(
        note: &mut Note,
        before: &[Before],
        found: &Found,
        content: Content<'_>,
    ) {
        note.ahead = before
            .iter()
            .filter(|before| before.is_lost(note, found, content))
            .map(Before::reached)
            .collect();
    }

    // --- questions ---

    /// Returns the question that tells what a need waits for; `None` if that is known. With `doubts`,
    /// also if the answer to the write told it: a restore may have lost the write since.
    pub(super) fn question(&self, need: &Need, doubts: bool) -> Option<Question> {
        let note = self.notes.get(need.number)?;
        if !need.cache.awaits(note) || note.answer > need.answers {
            return None;
        }
        if note.target == NoteTarget::Unknown || doubts {
            return Some(self.objects_question(need.number, note, doubts));
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

    /// Returns the question about the object of a note, or about all objects of its place.
    fn objects_question(&self, number: u64, note: &Note, doubts: bool) -> Question {
        let open = self.notes.of_url(&note.url, |number, other| {
            other.target == NoteTarget::Unknown || (doubts && self.is_awaited(number, other))
        });
        if open.len() <= QUESTIONS && note.write.name.is_some() {
            return Question::Objects {
                url: Arc::clone(&note.url),
                name: note.write.name.clone(),
                open: vec![number],
            };
        }
        Question::Objects {
            url: Arc::clone(&note.url),
            name: None,
            open,
        }
    }

    /// Returns what the caches have of the writes of a question before it is asked.
    pub(super) fn before_question(&self, question: &Question) -> HashMap<u64, Vec<Before>> {
        let mut before = HashMap::default();
        for number in question.numbers() {
            if let Some(note) = self.notes.get(*number) {
                before.insert(*number, self.before(&note.write));
            }
        }
        before
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
                self.learn_selection(*number, cache, is_selected);
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

    /// Notes whether the informer of a cache selects the object of a note.
    fn learn_selection(&mut self, number: u64, cache: &Cache, is_selected: bool) {
        let Some(mut note) = self.notes.take(number) else {
            return;
        };
        note.unsure.retain(|unsure| *unsure != cache.number);
        if !is_selected {
            let earlier = self.awaited(&note, cache);
            let place = note.place(cache.number, Some(Selected::No), &earlier);
            note.set_place(cache.number, place);
        }
        self.notes.put(number, note);
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
            object: object.map(FoundObject::of),
            remaining: Arc::clone(&listing.uids),
        };
        let content = object.map(|meta| json!({ "metadata": meta }));
        self.resolve(number, &found, content.as_ref(), before);
        if note.write.name.is_none() {
            self.note_candidates(&note, listing);
        }
    }

    /// Notes the objects that a write without a name may have made, or marked as deleted.
    fn note_candidates(&mut self, note: &Note, listing: &Listing) {
        for (key, meta) in &listing.objects {
            if !may_be_written(note, meta) {
                continue;
            }
            let found = FoundObject::of(meta);
            let mut candidate = note.of_object(key, found.uid, found.version);
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
            match self.notes.get(*number) {
                Some(note) if note.target == NoteTarget::Unknown => {}
                Some(_) | None => continue,
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
        let mut before = Self {
            cache: Arc::clone(cache),
            version: snapshot.version_of(namespace).clone(),
            entry: None,
            object: None,
        };
        let Some(key) = key else {
            return before;
        };
        if let Some(entry) = snapshot.entry(key) {
            before.object = Some(entry.resource_version.clone());
            before.entry = Some(entry.clone());
        }
        if let Some(undecodable) = snapshot.undecodable(key) {
            before.object = Some(undecodable.resource_version.clone());
        }
        before
    }

    /// Reports whether the cache had reached a version of the object, but with another state of it.
    fn contradicts(&self, version: &ResourceVersion) -> bool {
        reaches(&self.version, version) == Some(true) && self.object.as_ref() != Some(version)
    }

    /// Reports whether the cache was ahead of the server, or had another state of the object.
    fn is_lost(&self, note: &Note, found: &Found, content: Content<'_>) -> bool {
        if found.bound.is_older_than(&self.version) {
            return true;
        }
        match &found.object {
            Some(object) => {
                self.contradicts(&object.version)
                    && self.cache.selects(note, content) == Selected::Yes
            }
            None => self.object.is_some() && !self.version.is_older_than(&found.bound),
        }
    }

    /// Returns the cache with its version.
    fn reached(&self) -> (u64, ResourceVersion) {
        (self.cache.number, self.version.clone())
    }
}

/// Reports whether the informer of a cache runs, and will show a write.
fn has_to_show(cache: &Cache, note: &Note) -> bool {
    if !cache.informer.has_started() || cache.informer.is_stopped() {
        return false;
    }
    cache.awaits(note)
}

/// Reports whether a write without a name may have made an object, or marked it as deleted.
fn may_be_written(note: &Note, meta: &ObjectMeta) -> bool {
    match &note.prefix {
        Some(prefix) => meta.generate_name.as_deref() == Some(&**prefix),
        None => note.is_deletion() && meta.deletion_timestamp.is_some(),
    }
}
