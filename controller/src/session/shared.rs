//! [`Shared`]: the notes and the caches of a session.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use foldhash::HashMap;
use kube::Client;
use kube::api::ListParams;
use kube::core::{DynamicObject, ObjectList, Request};
use serde_json::Value;
use tokio::time::timeout;

use super::cache::Cache;
use super::error::SessionError;
use super::notes::{Found, Note, Notes, Sight, Target};
use super::write::{Answer, Concern, OwnWrite};
use crate::base::request::within;
use crate::base::sync::Mutex;
use crate::engine::store_of;
use crate::factory::SharedInformerFactory;
use crate::lister::{CacheId, ReadsCaches};
use crate::object::{ResourceVersion, Uid};
use crate::shared_informer::GenericInformer;
use crate::storage::Entry;

/// Number of writes of a resource without an answer up to which the server is asked for each of their
/// objects. Of more, its version has to do.
const QUESTIONS: usize = 8;

/// Time for which the answer to a question is awaited.
const ANSWER: Duration = Duration::from_secs(10);

/// State that the clones of a session share.
pub(super) struct Shared {
    pub(super) client: Client,
    factory: Box<dyn Fn() -> Option<SharedInformerFactory> + Send + Sync>,
    state: Mutex<State>,
    /// Number of notes. Written under the lock of the state, after each change of the notes.
    pending: AtomicUsize,
}

#[derive(Default)]
struct State {
    caches: HashMap<CacheId, Arc<Cache>>,
    /// Informers that are not of the factory.
    added: HashMap<CacheId, GenericInformer>,
    notes: Notes,
}

/// Write that a cache has to show.
pub(super) struct Need {
    number: u64,
    note: Arc<Note>,
    cache: Arc<Cache>,
}

// === impl Shared ===

impl Shared {
    pub(super) fn new(factory: &SharedInformerFactory) -> Self {
        Self {
            client: factory.client().clone(),
            factory: Box::new(factory.weak()),
            state: Mutex::new(State::default()),
            pending: AtomicUsize::new(0),
        }
    }

    /// Adds an informer that is not of the factory.
    pub(super) fn add_informer(&self, informer: &GenericInformer) {
        let mut state = self.state.lock();
        let id = CacheId::from(&store_of(informer));
        state.added.insert(id, informer.clone());
        self.refresh(&mut state);
    }

    /// Returns the writes that some cache has to show, oldest first.
    pub(super) fn unseen(&self) -> Vec<OwnWrite> {
        let state = self.state.lock();
        let notes = state.notes.all();
        let unseen = notes.filter(|(number, note)| state.needs(*number, note).next().is_some());
        unseen.map(|(_, note)| note.write.clone()).collect()
    }

    /// Returns the writes that caches have to show before an object is reconciled.
    pub(super) fn concerning(&self, concerns: &[Concern]) -> Vec<Need> {
        if !self.has_notes() {
            return Vec::new();
        }
        let mut state = self.state.lock();
        let notes: BTreeMap<u64, &Arc<Note>> = state.notes.concerning(concerns).collect();
        let unseen = notes.iter();
        let needs = unseen
            .flat_map(|(number, note)| state.needs(*number, note))
            .collect();
        let numbers: Vec<u64> = notes.into_keys().collect();
        self.drop_seen(&mut state, numbers);
        needs
    }

    /// Reports whether a write may be unseen. An atomic load: all that a read costs that concerns
    /// no write.
    fn has_notes(&self) -> bool {
        self.pending.load(Ordering::Acquire) > 0
    }

    /// Notes a write, unless all caches of its resource show it. A cache that does not exist yet
    /// will begin with a list that contains the write.
    pub(super) fn note(&self, mut note: Note) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        let is_selected = state
            .caches_of(&note.write)
            .any(|cache| cache.has_selectors());
        drop(state);
        // Runs user code.
        let object = note.write.object.as_ref().filter(|_| is_selected);
        let object = object.map(|object| object.json());
        let mut state = self.state.lock();
        state.leave_out(&mut note, object.as_ref());
        if state.is_seen(&note) {
            return;
        }
        if note.left_out.is_empty() {
            note.write.object = None;
        }
        let full = state.notes.add(note);
        self.drop_seen(&mut state, full);
    }

    /// Returns the object as each cache holds it. Also its uid, with the version of the latest write
    /// that is noted, or of a cache if none is.
    pub(super) fn known(&self, concern: &Concern) -> (Vec<Entry>, Option<(Uid, ResourceVersion)>) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        let caches = state.caches.values();
        let caches = caches.filter(|cache| cache.resource == concern.of);
        let held = caches.filter_map(|cache| cache.store.snapshot().entry(&concern.key).cloned());
        let held: Vec<Entry> = held.collect();
        let seen = held.iter();
        let seen = seen.map(|entry| (&entry.uid, &entry.resource_version));
        let noted = state.notes.concerning([concern]);
        let noted = noted.map(|(_, note)| (&note.write.uid, &note.write.resource_version));
        let noted = noted.filter(|(_, version)| version.is_exact());
        let known = seen.chain(noted);
        let known = known.filter_map(|(uid, version)| Some((uid.clone()?, version.clone())));
        let known = known.last();
        (held, known)
    }

    /// Takes over the informers of the factory.
    fn refresh(&self, state: &mut State) {
        let factory = (self.factory)();
        let informers = factory.iter().flat_map(SharedInformerFactory::informers);
        let informers = informers.chain(state.added.values().cloned());
        let caches = informers.map(|informer| {
            let id = CacheId::from(&store_of(&informer));
            let known = state.caches.get(&id).cloned();
            (id, known.unwrap_or_else(|| Arc::new(Cache::new(informer))))
        });
        state.caches = caches.collect();
    }

    /// Returns the writes that the reader's caches have to show. Adds the writes that they leave out.
    pub(super) fn needs_of<R: ReadsCaches + ?Sized>(
        &self,
        reader: &R,
        left_out: &mut Vec<OwnWrite>,
    ) -> Result<Vec<Need>, SessionError> {
        if !self.has_notes() {
            return Ok(Vec::new());
        }
        let needs = self.look(reader, left_out);
        // A `ReferencedCache` may have released a watch during the call.
        needs.or_else(|_| {
            left_out.clear();
            self.look(reader, left_out)
        })
    }

    fn look<R: ReadsCaches + ?Sized>(
        &self,
        reader: &R,
        left_out: &mut Vec<OwnWrite>,
    ) -> Result<Vec<Need>, SessionError> {
        let mut state = self.state.lock();
        let (mut needs, mut seen, mut found) = (Vec::new(), Vec::new(), Ok(()));
        reader.visit_caches(&mut |id, namespace| {
            if !state.caches.contains_key(&id) {
                self.refresh(&mut state);
            }
            let Some(cache) = state.caches.get(&id) else {
                found = Err(SessionError::Foreign);
                return;
            };
            for (number, note) in state.notes.of_place(&cache.resource, namespace) {
                if !cache.follows(&note.write) {
                    continue;
                }
                match cache.sight(note) {
                    Sight::Seen => seen.push(number),
                    Sight::LeftOut => left_out.push(note.write.clone()),
                    Sight::Missing | Sight::Incomparable => {
                        needs.push(Need::new(number, note, cache));
                    }
                }
            }
        });
        self.drop_seen(&mut state, seen);
        needs.sort_by_key(|need| need.number);
        found.map(|()| needs)
    }

    /// Drops those of these notes that all caches show.
    fn drop_seen(&self, state: &mut State, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            let note = state.notes.get(number);
            if note.is_some_and(|note| state.is_seen(note)) {
                state.notes.remove(number);
            }
        }
        self.pending.store(state.notes.len(), Ordering::Release);
    }

    /// Waits until the caches show the writes. Returns `true` if some were released meanwhile.
    pub(super) async fn show(
        &self,
        mut needs: Vec<Need>,
        within: Duration,
    ) -> Result<bool, SessionError> {
        let shown = timeout(within, async {
            self.resolve(&mut needs).await?;
            let mut is_released = false;
            for need in &needs {
                is_released |= need.wait().await?;
            }
            Ok(is_released)
        });
        let shown = shown.await;
        let numbers = needs.iter().map(|need| need.number);
        self.drop_seen(&mut self.state.lock(), numbers);
        shown.unwrap_or_else(|_| {
            needs.retain(|need| need.cache.sight(&need.note) == Sight::Missing);
            if needs.is_empty() {
                // A slice without objects leaves without a change of the cache.
                return Ok(false);
            }
            Err(unseen(&needs, within))
        })
    }

    /// Asks the server for the outcome of writes that had no answer.
    async fn resolve(&self, needs: &mut Vec<Need>) -> Result<(), SessionError> {
        for need in &*needs {
            let mut unknown = self.state.lock().notes.unknown(&need.note.url);
            // Writes of one object may have been resolved together.
            if !unknown.contains(&need.number) {
                continue;
            }
            let is_few = unknown.len() <= QUESTIONS;
            if is_few {
                unknown = vec![need.number];
            }
            let write = &need.note.write;
            let name = write.name.as_deref().filter(|_| is_few);
            let asked = self.ask(&need.note.url, name).await;
            let (found, object) = asked.map_err(|source| SessionError::Unknown {
                write: Box::new(write.clone()),
                source: Arc::new(source),
            })?;
            let mut state = self.state.lock();
            for number in unknown {
                state.resolve(number, &found, object.as_ref());
            }
        }
        let state = self.state.lock();
        needs.retain_mut(|need| {
            let current = state.notes.get(need.number);
            let is_gone = current.is_none() && need.note.target == Target::Unknown;
            need.note = current.unwrap_or(&need.note).clone();
            !is_gone
        });
        Ok(())
    }

    /// Lists one object, without a resourceVersion: a consistent read. Returns the state of the
    /// object with this name, or that of the server.
    async fn ask(&self, url: &str, name: Option<&str>) -> kube::Result<(Found, Option<Value>)> {
        let mut params = ListParams::default().limit(1);
        if let Some(name) = name {
            params = params.fields(&format!("metadata.name={name}"));
        }
        let request = Request::new(url).list(&params);
        let request = request.map_err(kube::Error::BuildRequest)?;
        let list: ObjectList<DynamicObject> = within(ANSWER, self.client.request(request)).await?;
        let version = list.metadata.resource_version.unwrap_or_default();
        let version = ResourceVersion::new(&version);
        let object = list.items.first().filter(|_| name.is_some());
        let found = match object {
            _ if name.is_none() => Found::Bound(version),
            None => Found::Nothing(version),
            Some(object) => {
                let uid = object.metadata.uid.as_deref().map(Uid::new);
                Found::Object(ResourceVersion::of(object), uid)
            }
        };
        Ok((found, object.map(Answer::json)))
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shared").field(&self.unseen()).finish()
    }
}

// === impl State ===

impl State {
    /// Returns the caches that a write may concern.
    fn caches_of(&self, write: &OwnWrite) -> impl Iterator<Item = &Arc<Cache>> {
        let caches = self.caches.values();
        caches.filter(move |cache| cache.follows(write))
    }

    /// Reports whether all caches that the write concerns show it.
    fn is_seen(&self, note: &Note) -> bool {
        let mut caches = self.caches_of(&note.write);
        caches.all(|cache| cache.sight(note) == Sight::Seen)
    }

    /// Notes the caches that have no event of the write, because the object is outside of their
    /// selectors or scope. A cache that will show an earlier write will also show that the object
    /// leaves it, but nothing that happens after that.
    fn leave_out(&self, note: &mut Note, object: Option<&Value>) {
        let own = note.write.concern();
        let earlier = self.notes.concerning(&own).map(|(_, earlier)| earlier);
        // Another object with its name has events of its own.
        let earlier = earlier.filter(|earlier| note.may_be(earlier.write.uid.as_ref()));
        let earlier: Vec<_> = earlier.collect();
        let (mut left_out, mut exits) = (Vec::new(), Vec::new());
        for cache in self.caches_of(&note.write) {
            let is_missing = |note: &&&Arc<Note>| cache.sight(note) == Sight::Missing;
            let mut awaited = earlier.iter().filter(is_missing).peekable();
            let is_awaited = awaited.peek().is_some();
            let exit = awaited.find_map(|earlier| earlier.exit(cache.number));
            let is_selected = if is_awaited && note.is_without_content() {
                // The object is as the earlier write made it.
                exit.is_none()
            } else {
                cache.selects(note, object)
            };
            if is_selected {
                continue;
            }
            if !is_awaited {
                left_out.push(cache.number);
            } else if note.target != Target::Unknown {
                let exit = exit.unwrap_or(&note.write.resource_version).clone();
                exits.push((cache.number, exit));
            }
        }
        (note.left_out, note.exits) = (left_out, exits);
    }

    /// Applies the server's state to a write without an answer. The object is as the write, or a later
    /// one, has made it.
    fn resolve(&mut self, number: u64, found: &Found, object: Option<&Value>) {
        let note = self.notes.remove(number).map(Arc::unwrap_or_clone);
        if let Some(mut note) = note
            && note.resolve(found)
        {
            if !matches!(found, Found::Bound(_)) {
                self.leave_out(&mut note, object);
            }
            self.notes.put(number, note);
        }
    }

    /// Returns the caches that have to show a write.
    fn needs(&self, number: u64, note: &Arc<Note>) -> impl Iterator<Item = Need> {
        let caches = self.caches_of(&note.write);
        let blocked = caches.filter(|cache| {
            let sight = cache.sight(note);
            matches!(sight, Sight::Missing | Sight::Incomparable) && !cache.informer.is_stopped()
        });
        blocked.map(move |cache| Need::new(number, note, cache))
    }
}

// === impl Need ===

impl Need {
    fn new(number: u64, note: &Arc<Note>, cache: &Arc<Cache>) -> Self {
        let (note, cache) = (Arc::clone(note), Arc::clone(cache));
        Self {
            number,
            note,
            cache,
        }
    }

    /// Waits until the cache shows the write. Returns `true` if a
    /// [`ReferencedCache`](crate::relations::ReferencedCache) has released the cache, whose names other
    /// watches may follow.
    async fn wait(&self) -> Result<bool, SessionError> {
        let Self { note, cache, .. } = self;
        let informer = || Arc::from(cache.informer.name());
        let condition = {
            let (note, cache) = (Arc::clone(note), Arc::clone(cache));
            move |snapshot: &_| cache.sight_in(snapshot, &note) != Sight::Missing
        };
        let snapshot = tokio::select! {
            biased;
            snapshot = cache.store.wait_until(condition) => snapshot,
            () = cache.informer.wait_until_stopped() => {
                if cache.names.is_some() {
                    return Ok(true);
                }
                return Err(SessionError::Stopped { informer: informer() });
            }
        };
        match cache.sight_in(&snapshot, note) {
            Sight::Incomparable => Err(SessionError::Incomparable {
                write: Box::new(note.write.clone()),
                informer: informer(),
                stored: cache.version(&note.write.namespace),
            }),
            Sight::Seen | Sight::LeftOut | Sight::Missing => Ok(false),
        }
    }
}

pub(super) fn unseen(needs: &[Need], after: Duration) -> SessionError {
    let missing = needs.iter().map(|Need { note, cache, .. }| {
        let version = cache.version(&note.write.namespace);
        (note.write.clone(), cache.informer.name().into(), version)
    });
    SessionError::Unseen {
        after,
        missing: missing.collect(),
    }
}
