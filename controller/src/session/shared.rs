//! [`Shared`]: the notes and the caches of a session.

use std::any::Any;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use kube::Client;
use kube::api::{ListParams, ObjectMeta};
use kube::core::{ListMeta, Request};
use serde::Deserialize;
use tokio::time::timeout;

use super::cache::{Cache, Content, Written};
use super::error::SessionError;
use super::notes::{Found, Note, Notes, Sight, Target, newer};
use super::write::{Concern, OwnWrite};
use crate::base::sync::Mutex;
use crate::engine::{store_of, weak_factory};
use crate::factory::SharedInformerFactory;
use crate::lister::{CacheId, ReadsCaches};
use crate::object::{Object, ResourceVersion, Uid};
use crate::shared_informer::GenericInformer;

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
    added: Vec<GenericInformer>,
    next_cache: u64,
    notes: Notes,
}

/// Write that a cache has to show.
pub(super) struct Need {
    number: u64,
    note: Arc<Note>,
    cache: Arc<Cache>,
}

/// Answer to the question for the server's version.
#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(default)]
    items: Vec<Header>,
}

#[derive(Deserialize)]
struct Header {
    metadata: ObjectMeta,
}

// === impl Shared ===

impl Shared {
    pub(super) fn new(factory: &SharedInformerFactory) -> Self {
        Self {
            client: factory.client().clone(),
            factory: Box::new(weak_factory(factory)),
            state: Mutex::new(State::default()),
            pending: AtomicUsize::new(0),
        }
    }

    /// Adds an informer that is not of the factory.
    pub(super) fn add_informer(&self, informer: &GenericInformer) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        if !state
            .caches
            .contains_key(&CacheId::from(&store_of(informer)))
        {
            state.added.push(informer.clone());
            self.refresh(&mut state);
        }
    }

    /// Returns the writes that some cache has to show, oldest first.
    pub(super) fn unseen(&self) -> Vec<OwnWrite> {
        let state = self.state.lock();
        let notes = state.notes.all();
        let unseen = notes.filter(|(_, note)| !state.blocked_by(note).is_empty());
        unseen.map(|(_, note)| note.write.clone()).collect()
    }

    /// Returns the writes that caches have to show before an object is reconciled.
    pub(super) fn concerning(&self, concerns: &[Concern]) -> Vec<Need> {
        if !self.has_notes() {
            return Vec::new();
        }
        let mut state = self.state.lock();
        let numbers: BTreeSet<u64> = state.notes.concerning(concerns).collect();
        let needs: Vec<Need> = numbers
            .iter()
            .flat_map(|number| state.needs(*number))
            .collect();
        self.drop_seen(&mut state, numbers);
        needs
    }

    /// Reports whether a write may be unseen. An atomic load: all that a read costs that concerns
    /// no write.
    pub(super) fn has_notes(&self) -> bool {
        self.pending.load(Ordering::Acquire) > 0
    }

    /// Notes a write, unless all caches of its resource show it. A cache that does not exist yet
    /// will begin with a list that contains the write.
    pub(super) fn note(
        &self,
        mut note: Note,
        written: &Written<'_>,
        object: impl FnOnce() -> Option<Arc<dyn Any + Send + Sync>>,
    ) {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        state.leave_out(&mut note, written);
        if state.is_seen(&note) {
            return;
        }
        if !note.left_out.is_empty() {
            note.write.object = object();
        }
        let full = state.notes.add(note);
        self.drop_seen(&mut state, full);
    }

    /// Returns the newest version at which an object with this uid is known to have existed.
    pub(super) fn version_of(&self, concern: &Concern, uid: &Uid) -> ResourceVersion {
        let state = self.state.lock();
        let mut newest = state.notes.version_of(concern, uid);
        for cache in state.caches_of(&concern.of) {
            let snapshot = cache.store.snapshot();
            let entry = snapshot.entry(&concern.key);
            if let Some(entry) = entry.filter(|entry| entry.uid.as_ref() == Some(uid)) {
                newest = newer(newest, &entry.resource_version);
            }
        }
        newest
    }

    /// Returns uid and version of the object in a cache that holds it.
    pub(super) fn known(&self, concern: &Concern) -> Option<(Uid, ResourceVersion)> {
        let state = self.state.lock();
        state.caches_of(&concern.of).find_map(|cache| {
            let snapshot = cache.store.snapshot();
            let entry = snapshot.entry(&concern.key)?;
            Some((entry.uid.clone()?, entry.resource_version.clone()))
        })
    }

    /// Calls `find` with the object with this key in each cache that holds it decoded.
    pub(super) fn find<K: Object, R>(
        &self,
        concern: &Concern,
        find: impl FnMut(&K) -> Option<R>,
    ) -> Option<R> {
        let mut state = self.state.lock();
        self.refresh(&mut state);
        let caches = state.caches_of(&concern.of);
        let snapshots: Vec<_> = caches.map(|cache| cache.store.snapshot()).collect();
        drop(state);
        let entries = snapshots
            .iter()
            .filter_map(|snapshot| snapshot.entry(&concern.key));
        entries
            .filter_map(|entry| entry.object_ref::<K>())
            .find_map(find)
    }

    /// Takes over the informers of the factory.
    fn refresh(&self, state: &mut State) {
        let factory = (self.factory)();
        let of_factory = factory.as_ref().map(SharedInformerFactory::informers);
        let mut known = std::mem::take(&mut state.caches);
        let informers = of_factory.into_iter().flatten();
        for informer in informers.chain(state.added.iter().cloned()) {
            let id = CacheId::from(&store_of(&informer));
            let cache = known.remove(&id).unwrap_or_else(|| {
                state.next_cache += 1;
                Arc::new(Cache::new(state.next_cache, informer))
            });
            state.caches.insert(id, cache);
        }
    }

    /// Returns the writes that the reader's caches have to show. Adds the writes that they leave out.
    pub(super) fn needs_of<R: ReadsCaches + ?Sized>(
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
            match state.caches.get(&id) {
                Some(cache) => state.collect(cache, namespace, &mut needs, &mut seen, left_out),
                None => found = Err(SessionError::Foreign),
            }
        });
        self.drop_seen(&mut state, seen);
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

    /// Waits until the caches show the writes.
    pub(super) async fn show(
        &self,
        mut needs: Vec<Need>,
        within: Duration,
    ) -> Result<(), SessionError> {
        let shown = timeout(within, async {
            self.resolve(&mut needs).await?;
            for need in &needs {
                need.wait().await?;
            }
            Ok(())
        });
        let shown = shown.await;
        let numbers = needs.iter().map(|need| need.number);
        self.drop_seen(&mut self.state.lock(), numbers);
        shown.unwrap_or_else(|_| {
            needs.retain(|need| need.cache.sight(&need.note) == Sight::Missing);
            Err(unseen(&needs, within))
        })
    }

    /// Asks for the server's version for writes whose outcome is unknown.
    async fn resolve(&self, needs: &mut Vec<Need>) -> Result<(), SessionError> {
        let unknown = |need: &&Need| need.note.target == Target::Unknown;
        let urls: HashMap<_, _> = needs
            .iter()
            .filter(unknown)
            .map(|need| (Arc::clone(&need.note.url), Arc::clone(&need.note)))
            .collect();
        for (url, note) in &urls {
            let unknown = self.state.lock().notes.unknown(url);
            let only = match unknown.as_slice() {
                [(_, only)] => only.write.name.as_deref(),
                _ => None,
            };
            let listed = self.ask(url, only).await;
            let listed = listed.map_err(|source| SessionError::Unknown {
                write: Box::new(note.write.clone()),
                source: Arc::new(source),
            })?;
            let found = listed.found(only.is_some());
            let mut state = self.state.lock();
            for (number, _) in unknown {
                state.notes.resolve(number, &found);
            }
        }
        if !urls.is_empty() {
            let state = self.state.lock();
            needs.retain_mut(|need| match state.notes.get(need.number) {
                Some(note) => {
                    need.note = Arc::clone(note);
                    true
                }
                None => need.note.target != Target::Unknown,
            });
        }
        Ok(())
    }

    /// Lists one object, without a resourceVersion: a consistent read.
    async fn ask(&self, url: &str, name: Option<&str>) -> kube::Result<Listed> {
        let mut params = ListParams::default().limit(1);
        if let Some(name) = name {
            params = params.fields(&format!("metadata.name={name}"));
        }
        let request = Request::new(url).list(&params);
        let request = request.map_err(kube::Error::BuildRequest)?;
        self.client.request(request).await
    }
}

// === impl Listed ===

impl Listed {
    /// Returns the state of the one object that was asked for, or of the server.
    fn found(self, is_of_one: bool) -> Found {
        let version = self.metadata.resource_version.unwrap_or_default();
        let version = ResourceVersion::new(&version);
        match self.items.into_iter().next() {
            _ if !is_of_one => Found::Bound(version),
            None => Found::Nothing(version),
            Some(Header { metadata }) => {
                let version = metadata.resource_version.unwrap_or_default();
                let uid = metadata.uid.as_deref().map(Uid::new);
                Found::Object(ResourceVersion::new(&version), uid)
            }
        }
    }
}

// === impl State ===

impl State {
    /// Returns the caches of a resource.
    fn caches_of(&self, resource: &str) -> impl Iterator<Item = &Arc<Cache>> {
        let caches = self.caches.values();
        caches.filter(move |cache| *cache.resource == *resource)
    }

    /// Reports whether all caches of the resource show the write.
    fn is_seen(&self, note: &Note) -> bool {
        let mut caches = self.caches_of(&note.write.resource);
        caches.all(|cache| cache.sight(note) == Sight::Seen)
    }

    /// Notes the caches that have no event of the write, because the object is outside of their
    /// selectors or scope. A cache that will show an earlier write will also show that the object
    /// leaves it, but nothing that happens after that.
    fn leave_out(&self, note: &mut Note, written: &Written<'_>) {
        let own = note.write.concern();
        let earlier = self.notes.concerning(&own);
        let earlier: Vec<_> = earlier
            .filter_map(|number| self.notes.get(number))
            .collect();
        for cache in self.caches_of(&note.write.resource) {
            let is_missing = |note: &&&Arc<Note>| cache.sight(note) == Sight::Missing;
            let mut awaited = earlier.iter().filter(is_missing).peekable();
            let is_awaited = awaited.peek().is_some();
            let exit = awaited.find_map(|earlier| earlier.exit(cache.number));
            let is_selected = if is_awaited && matches!(written.content, Content::Unchanged) {
                // The object is as the earlier write made it.
                exit.is_none()
            } else {
                cache.selects(written)
            };
            if is_selected {
                continue;
            }
            if !is_awaited {
                note.left_out.push(cache.number);
            } else if note.target != Target::Unknown {
                let exit = exit.unwrap_or(&note.write.resource_version).clone();
                note.exits.push((cache.number, exit));
            }
        }
    }

    /// Returns the caches that have to show a write.
    fn blocked_by(&self, note: &Note) -> Vec<Arc<Cache>> {
        let blocked = self.caches_of(&note.write.resource).filter(|cache| {
            matches!(cache.sight(note), Sight::Missing | Sight::Incomparable)
                && !cache.informer.is_stopped()
        });
        blocked.cloned().collect()
    }

    fn needs(&self, number: u64) -> Vec<Need> {
        let Some(note) = self.notes.get(number) else {
            return Vec::new();
        };
        let caches = self.blocked_by(note).into_iter();
        let note = Arc::clone(note);
        let need = move |cache| Need {
            number,
            cache,
            note: Arc::clone(&note),
        };
        caches.map(need).collect()
    }

    /// Collects the writes that a cache has to show, and those that it leaves out.
    fn collect(
        &self,
        cache: &Arc<Cache>,
        namespace: Option<&str>,
        needs: &mut Vec<Need>,
        seen: &mut Vec<u64>,
        left_out: &mut Vec<OwnWrite>,
    ) {
        for number in self.notes.of_resource(&cache.resource) {
            let Some(note) = self.notes.get(number) else {
                continue;
            };
            let written = &*note.write.namespace;
            if namespace.is_some_and(|namespace| !written.is_empty() && written != namespace) {
                continue;
            }
            match cache.sight(note) {
                Sight::Seen => seen.push(number),
                Sight::LeftOut => left_out.push(note.write.clone()),
                Sight::Missing | Sight::Incomparable => needs.push(Need {
                    number,
                    note: Arc::clone(note),
                    cache: Arc::clone(cache),
                }),
            }
        }
    }
}

// === impl Need ===

impl Need {
    /// Waits until the cache shows the write.
    async fn wait(&self) -> Result<(), SessionError> {
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
                return Err(SessionError::Stopped { informer: informer() });
            }
        };
        match cache.sight_in(&snapshot, note) {
            Sight::Incomparable => Err(SessionError::Incomparable {
                write: Box::new(note.write.clone()),
                informer: informer(),
                stored: cache.version(&note.write.namespace),
            }),
            Sight::Seen | Sight::LeftOut | Sight::Missing => Ok(()),
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
