//! [`SessionShared`]: state that the handles of a session share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::HashMap;
use informer_runtime::engine::store_of;
use informer_runtime::lister::{CacheId, ReadsCaches};
use informer_runtime::{GenericInformer, ResourceVersion, SharedInformerFactory, Uid};
use kube::Client;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::cache::{Cache, Content};
use super::error::SessionError;
use super::need::Need;
use super::notes::{Note, Sight};
use super::question::{Question, ServerAnswer};
use super::state::{Before, SessionState};
use super::write::{Concern, OwnWrite};
use crate::base::sync::Mutex;

/// Time for which a write is not asked for after the server has refused to tell its outcome.
const GIVEN_UP: Duration = Duration::from_secs(60);

/// State that the clones of a session share.
pub(super) struct SessionShared {
    pub(super) client: Client,
    factory: Box<dyn Fn() -> Option<SharedInformerFactory> + Send + Sync>,
    state: Mutex<SessionState>,
    /// Number of notes. Written under the lock of the state, after each change of the notes.
    pending: AtomicUsize,
    /// Permit to ask the server.
    pub(super) asking: Semaphore,
}

/// Object of the answer to a write.
pub(super) enum Written<'a> {
    /// Function that returns the object as JSON.
    Object(&'a dyn Fn() -> Value),
    /// The answer has not the object: the write has not changed what selectors look at.
    Unchanged,
    /// There was no answer.
    Unknown,
}

/// Writes of a session in the place of a reader.
#[derive(Default)]
pub(super) struct Look {
    /// Writes that the reader's caches have to show, oldest first.
    pub(super) needs: Vec<Need>,
    /// Writes that the reader's caches leave out.
    pub(super) left_out: Vec<OwnWrite>,
}

// === impl SessionShared ===

impl SessionShared {
    pub(super) fn new(factory: &SharedInformerFactory) -> Self {
        Self {
            client: factory.client().clone(),
            factory: Box::new(factory.weak()),
            state: Mutex::new(SessionState::default()),
            pending: AtomicUsize::new(0),
            asking: Semaphore::new(1),
        }
    }

    /// Adds an informer that is not of the factory.
    pub(super) fn add_informer(&self, informer: &GenericInformer) {
        let mut state = self.state.lock();
        let id = CacheId::from(&store_of(informer));
        state.added.insert(id, informer.clone());
        self.refresh(&mut state);
    }

    pub(super) fn added(&self) -> Vec<GenericInformer> {
        self.state.lock().added.values().cloned().collect()
    }

    /// Takes over the informers of the factory.
    fn refresh(&self, state: &mut SessionState) {
        let factory = (self.factory)();
        let informers = factory
            .iter()
            .flat_map(SharedInformerFactory::informers)
            .chain(state.added.values().cloned());
        let mut caches = HashMap::default();
        for informer in informers {
            let id = CacheId::from(&store_of(&informer));
            let cache = match state.caches.get(&id) {
                Some(known) => Arc::clone(known),
                None => Arc::new(Cache::new(informer)),
            };
            caches.insert(id, cache);
        }
        state.caches = caches;
    }

    /// Returns a cache of a reader; `None` if its informer is unknown to the session.
    fn cache(&self, state: &mut SessionState, id: CacheId) -> Option<Arc<Cache>> {
        if !state.caches.contains_key(&id) {
            self.refresh(state);
        }
        state.caches.get(&id).cloned()
    }

    // --- writes ---

    /// Returns what the caches have before a request, and the uid of the object with a version at which
    /// it existed, as far as they are known.
    pub(super) fn before(&self, write: &OwnWrite) -> (Vec<Before>, Option<(Uid, ResourceVersion)>) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        let before = state.before(write);
        let known = state.known(write, &before);
        (before, known)
    }

    /// Notes a write, unless all caches of its resource show it. A cache that does not exist yet
    /// will begin with a list that contains the write.
    pub(super) fn note(&self, mut note: Note, written: &Written<'_>, before: &[Before]) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        let is_selected = state
            .caches_of(&note.write)
            .any(|cache| cache.has_selectors());
        drop(state);
        // Runs user code.
        let object = match written {
            Written::Object(json) if is_selected => Some(json()),
            Written::Object(_) | Written::Unchanged | Written::Unknown => None,
        };
        let content = match written {
            Written::Object(_) => object.as_ref().map_or(Content::Unknown, Content::Object),
            Written::Unchanged => Content::Unchanged,
            Written::Unknown => Content::Unknown,
        };
        let mut state = self.state.lock();
        state.leave_out(&mut note, content);
        SessionState::compare_with_write(&mut note, before);
        if state.is_seen(&note) {
            return;
        }
        let full = state.notes.add(note);
        self.drop_of(&mut state, full);
        state.fold();
        self.count(&state);
    }

    // --- reads ---

    /// Returns the writes that some cache has to show, oldest first.
    pub(super) fn unseen(&self) -> Vec<OwnWrite> {
        let state = self.state.lock();
        state
            .notes
            .all()
            .filter(|(number, note)| state.is_awaited(*number, note))
            .map(|(_, note)| note.write.clone())
            .collect()
    }

    /// Returns the writes that caches have to show before an object is reconciled.
    pub(super) fn concerning(&self, concerns: &[Concern]) -> Vec<Need> {
        if !self.has_notes() {
            return Vec::new();
        }
        let mut state = self.state.lock();
        let notes: BTreeMap<u64, &Arc<Note>> = state
            .notes
            .concerning(concerns)
            .chain(state.notes.folded())
            .collect();
        let needs = notes
            .iter()
            .flat_map(|(number, note)| state.needs(*number, note))
            .collect();
        let numbers: Vec<u64> = notes.into_keys().collect();
        self.drop_of(&mut state, numbers);
        needs
    }

    /// Reports whether a write may be unseen. An atomic load.
    fn has_notes(&self) -> bool {
        self.pending.load(Ordering::Acquire) > 0
    }

    /// Returns the writes that concern a reader.
    pub(super) fn look<R: ReadsCaches + ?Sized>(&self, reader: &R) -> Result<Look, SessionError> {
        if !self.has_notes() {
            return Ok(Look::default());
        }
        // A `ReferencedCache` may have released a watch during the call.
        self.try_look(reader).or_else(|_| self.try_look(reader))
    }

    /// Returns a cache of the reader that has no first list.
    pub(super) fn unlisted<R: ReadsCaches + ?Sized>(&self, reader: &R) -> Option<Arc<Cache>> {
        let mut state = self.state.lock();
        let mut unlisted = None;
        reader.visit_caches(&mut |id, _| {
            let Some(cache) = self.cache(&mut state, id) else {
                return;
            };
            if unlisted.is_none() && !cache.is_listed() {
                unlisted = Some(cache);
            }
        });
        unlisted
    }

    fn try_look<R: ReadsCaches + ?Sized>(&self, reader: &R) -> Result<Look, SessionError> {
        let mut state = self.state.lock();
        let mut look = Look::default();
        let mut seen = Vec::new();
        let mut is_foreign = false;
        reader.visit_caches(&mut |id, namespace| {
            let Some(cache) = self.cache(&mut state, id) else {
                is_foreign = true;
                return;
            };
            for (number, note) in state.notes.of_place(&cache.resource, namespace) {
                if !cache.follows(&note.write) {
                    continue;
                }
                match cache.sight(note) {
                    Sight::Seen => seen.push(number),
                    Sight::Clear => {}
                    Sight::LeftOut | Sight::Unable => look.left_out.push(note.write.clone()),
                    Sight::Missing | Sight::Incomparable => {
                        look.needs
                            .push(Need::new(number, note, &cache, state.answers));
                    }
                }
            }
        });
        self.drop_of(&mut state, seen);
        if is_foreign {
            return Err(SessionError::Foreign);
        }
        look.needs.sort_by_key(|need| need.number);
        Ok(look)
    }

    /// Drops those of these notes that all caches show.
    pub(super) fn drop_seen(&self, numbers: impl IntoIterator<Item = u64>) {
        self.drop_of(&mut self.state.lock(), numbers);
    }

    fn drop_of(&self, state: &mut SessionState, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            if let Some(note) = state.notes.get(number)
                && state.is_seen(note)
            {
                state.notes.remove(number);
            }
        }
        self.count(state);
    }

    fn count(&self, state: &SessionState) {
        self.pending.store(state.notes.len(), Ordering::Release);
    }

    // --- questions ---

    /// Returns a number that is greater than that of each note.
    pub(super) fn next_number(&self) -> u64 {
        self.state.lock().notes.next_number()
    }

    /// Returns the question about a need, with the state of the caches before it is asked.
    pub(super) fn question(
        &self,
        need: &Need,
        doubts: bool,
    ) -> Option<(Question, HashMap<u64, Vec<Before>>)> {
        let state = self.state.lock();
        let question = state.question(need, doubts)?;
        let before = state.before_question(&question);
        Some((question, before))
    }

    pub(super) fn learn(
        &self,
        question: &Question,
        answer: ServerAnswer,
        before: &HashMap<u64, Vec<Before>>,
    ) {
        let mut state = self.state.lock();
        state.learn(question, answer, before);
        self.drop_of(&mut state, question.numbers().iter().copied());
    }

    /// Waits for the writes of a question no more for a time. Returns those that are given up first.
    pub(super) fn give_up(&self, question: &Question) -> Vec<OwnWrite> {
        let until = Instant::now() + GIVEN_UP;
        self.state.lock().give_up(question.numbers(), until)
    }
}

impl fmt::Debug for SessionShared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionShared")
            .field(&self.unseen())
            .finish()
    }
}

#[cfg(test)]
mod tests;
