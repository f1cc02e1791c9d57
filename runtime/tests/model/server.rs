//! Oracle of the model: a naive API server for one resource, with injected faults.
//!
//! It shares no code with the sources of the runtime. One lock, plain maps, and the whole history.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::{self, StreamExt as _};
use informer_runtime::ResourceVersion;
use informer_runtime::source::{
    ListOptions, ListPart, ListStream, ListerWatcher, ResourceVersionMatch, SourceError,
    TimeoutPhase, WatchOptions, WatchStream,
};
use informer_runtime::wire::{ApiStatus, ListMeta, RawEvent, RawObject, StatusCause};
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, timeout_at};

/// Time after which the client gives up a stalled connection.
const STALL: Duration = Duration::from_secs(60);
/// Number of earlier states that a backup can restore.
const BACKUPS: usize = 6;

/// Object of the oracle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) uid: u32,
    pub(crate) version: u64,
    /// Value that distinguishes the contents.
    pub(crate) value: u32,
    /// `true` if the object decodes.
    pub(crate) good: bool,
}

pub(crate) type Objects = BTreeMap<String, Object>;

/// Kind of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Request {
    List,
    Watch,
    /// Watch that sends the state first.
    Stream,
}

/// Fault of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The response has this HTTP status.
    Refused(u16),
    /// The connection is refused.
    Unreachable,
    /// The connection breaks after this many objects or events.
    Cut(u8),
    /// The body ends after this many, as if it were complete.
    Ended(u8),
    /// Malformed data follows after this many.
    Garbage(u8),
    /// The connection is silent after this many.
    Stalled(u8),
}

/// Interruption of the running watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interruption {
    Closed,
    Cut,
    /// By a 410 event.
    Expired,
    /// By a 500 event.
    InternalError,
}

/// Naive API server. Clones share the state.
#[derive(Clone)]
pub(crate) struct Server {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Notify,
    supports_watch_list: bool,
}

#[derive(Default)]
pub(crate) struct State {
    objects: Objects,
    version: u64,
    /// Highest version that was ever issued. Exceeds `version` after a restore.
    issued: u64,
    /// Highest version that was sent to the informer since its last list.
    sent: u64,
    is_followed: bool,
    uids: u32,
    values: u32,
    history: Vec<(u64, RawEvent)>,
    /// Versions before it are compacted, and so are those above it up to `lost`.
    forgotten: u64,
    lost: u64,
    backups: VecDeque<(u64, Objects)>,
    /// Interruptions that ended the watches of all earlier epochs.
    epochs: Vec<Interruption>,
    faults: HashMap<Request, VecDeque<Fault>>,
    /// Number of streaming lists that end without their bookmark.
    bookmarks_to_lose: u32,
    /// Remaining objects of a paged list, by token.
    pages: HashMap<String, (u64, Vec<RawObject>)>,
    tokens: u64,
}

// === impl Server: operations of the test ===

impl Server {
    pub(crate) fn new(supports_watch_list: bool) -> Self {
        Self {
            shared: Arc::new(Shared {
                // "0" is not a version of a server.
                state: Mutex::new(State {
                    version: 1,
                    issued: 1,
                    is_followed: true,
                    ..State::default()
                }),
                changed: Notify::new(),
                supports_watch_list,
            }),
        }
    }

    /// Changes the server, and wakes its watches.
    pub(crate) fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.shared.state.lock());
        self.shared.changed.notify_waiters();
    }

    /// Returns `true` if the informer has listed since the server went back.
    pub(crate) fn is_followed(&self) -> bool {
        self.shared.state.lock().is_followed
    }

    pub(crate) fn objects(&self) -> Objects {
        self.shared.state.lock().objects.clone()
    }

    pub(crate) fn version(&self) -> u64 {
        self.shared.state.lock().version
    }
}

// === impl State ===

impl State {
    fn next_version(&mut self) -> u64 {
        self.backups.push_back((self.version, self.objects.clone()));
        if self.backups.len() > BACKUPS {
            self.backups.pop_front();
        }
        self.version += 1;
        self.issued = self.issued.max(self.version);
        self.version
    }

    /// Returns `true` if another change would hide from the informer that the server went back.
    fn hides_rewind(&self) -> bool {
        !self.is_followed && self.version + 1 >= self.sent
    }

    /// Records that the informer received the whole state at `version`.
    fn listed(&mut self, version: u64) {
        self.is_followed = true;
        self.sent = version;
    }

    /// Creates an object, or replaces the content of an existing one. `good` content decodes.
    pub(crate) fn put(&mut self, name: &str, good: bool) {
        if self.hides_rewind() {
            return;
        }
        let version = self.next_version();
        self.values += 1;
        let value = self.values;
        let known = self.objects.get(name).map(|object| object.uid);
        let uid = known.unwrap_or_else(|| {
            self.uids += 1;
            self.uids
        });
        let object = Object {
            uid,
            version,
            value,
            good,
        };
        let event = if known.is_some() {
            RawEvent::Modified(raw(name, &object))
        } else {
            RawEvent::Added(raw(name, &object))
        };
        self.history.push((version, event));
        self.objects.insert(name.to_owned(), object);
    }

    pub(crate) fn delete(&mut self, name: &str) {
        let Some(mut object) = self.objects.get(name).cloned() else {
            return;
        };
        if self.hides_rewind() {
            return;
        }
        object.version = self.next_version();
        self.objects.remove(name);
        let event = RawEvent::Deleted(raw(name, &object));
        self.history.push((self.version, event));
    }

    pub(crate) fn bookmark(&mut self) {
        let event = RawEvent::bookmark(self.version.to_string().as_str());
        self.history.push((self.version, event));
    }

    pub(crate) fn interrupt(&mut self, interruption: Interruption) {
        self.epochs.push(interruption);
    }

    pub(crate) fn fail_next(&mut self, request: Request, fault: Fault) {
        self.faults.entry(request).or_default().push_back(fault);
    }

    pub(crate) fn lose_bookmark(&mut self) {
        self.bookmarks_to_lose += 1;
    }

    /// Removes all faults.
    pub(crate) fn heal(&mut self) {
        self.faults.clear();
        self.bookmarks_to_lose = 0;
    }

    /// Makes every object decodable, and advances to a version that was never issued before.
    pub(crate) fn finish(&mut self) {
        let undecodable = self.objects.iter().filter(|(_, object)| !object.good);
        let names: Vec<String> = undecodable.map(|(name, _)| name.clone()).collect();
        for name in names {
            self.put(&name, true);
        }
        self.version = self.issued;
        self.put("last", true);
    }

    /// Drops the history and the continue tokens.
    pub(crate) fn compact(&mut self) {
        self.history.clear();
        self.pages.clear();
        self.forgotten = self.version;
        self.lost = self.lost.max(self.version);
        self.epochs.push(Interruption::Cut);
    }

    /// Restores an earlier state and its version, like a backup. The following versions are issued
    /// a second time.
    ///
    /// Until the informer has listed again, changes are dropped that would advance the server past
    /// the versions that the informer has seen. A server that gets there unnoticed cannot be
    /// followed.
    pub(crate) fn rewind(&mut self) {
        let Some((version, objects)) = self.backups.pop_front() else {
            return;
        };
        self.backups.clear();
        self.objects = objects;
        self.version = version;
        self.compact();
        self.lost = self.issued;
        self.is_followed &= self.sent <= version;
    }

    /// Returns `true` if a watch can start after this version.
    fn knows(&self, version: u64) -> bool {
        version == self.forgotten || version > self.lost
    }

    fn take_fault(&mut self, request: Request) -> Option<Fault> {
        self.faults.get_mut(&request)?.pop_front()
    }

    fn list(&mut self, options: &ListOptions) -> Result<(Vec<RawObject>, ListMeta), SourceError> {
        let (version, mut objects) = if let Some(token) = &options.continue_token {
            self.pages.remove(token).ok_or_else(expired)?
        } else {
            let requested = number(&options.resource_version);
            let is_exact = match options.resource_version_match {
                Some(ResourceVersionMatch::Exact) => true,
                Some(ResourceVersionMatch::NotOlderThan) => false,
                None => options.limit.is_some() && requested > 0,
            };
            if requested > self.version {
                return Err(too_large());
            }
            if is_exact && requested != self.version {
                let backup = self
                    .backups
                    .iter()
                    .find(|(version, _)| *version == requested);
                let (version, objects) = backup.ok_or_else(expired)?;
                (*version, raw_objects(objects))
            } else {
                (self.version, raw_objects(&self.objects))
            }
        };
        let limit = options.limit.map_or(usize::MAX, |limit| limit as usize);
        if objects.len() <= limit {
            return Ok((objects, ListMeta::at(version.to_string().as_str())));
        }
        let rest = objects.split_off(limit);
        self.tokens += 1;
        let token = format!("{}", self.tokens);
        let meta = ListMeta::page(version.to_string().as_str(), token.clone());
        self.pages.insert(token, (version, rest));
        Ok((objects, meta))
    }
}

fn raw_objects(objects: &Objects) -> Vec<RawObject> {
    let raw = |(name, object): (&String, &Object)| raw(name, object);
    objects.iter().map(raw).collect()
}

fn number(version: &ResourceVersion) -> u64 {
    version.to_string().parse().unwrap_or_default()
}

fn raw(name: &str, object: &Object) -> RawObject {
    let data = if object.good {
        json!({"value": object.value.to_string(), "bucket": (object.value % 3).to_string()})
    } else {
        json!("not a map")
    };
    let value = json!({
        "metadata": {
            "namespace": "ns",
            "name": name,
            "uid": object.uid.to_string(),
            "resourceVersion": object.version.to_string(),
        },
        "data": data,
    });
    RawObject::from_value(&value).unwrap()
}

fn expired() -> SourceError {
    status(410).into()
}

fn too_large() -> SourceError {
    let cause = StatusCause {
        reason: "ResourceVersionTooLarge".to_owned(),
        message: "Too large resource version".to_owned(),
    };
    SourceError::from(ApiStatus {
        causes: vec![cause],
        ..status(504)
    })
}

fn status(code: u16) -> ApiStatus {
    let reason = match code {
        403 => "Forbidden",
        404 => "NotFound",
        410 => "Expired",
        422 => "Invalid",
        429 => "TooManyRequests",
        500 => "InternalError",
        504 => "Timeout",
        _ => "",
    };
    ApiStatus::new(code, reason, "on purpose")
}

// === impl Fault ===

impl Fault {
    /// Returns the error of the request itself, if the fault rejects it.
    fn refusal(self) -> Option<SourceError> {
        match self {
            Self::Refused(code) => Some(status(code).into()),
            Self::Unreachable => Some(SourceError::ConnectionRefused(Arc::new(
                std::io::Error::from(std::io::ErrorKind::ConnectionRefused),
            ))),
            Self::Cut(_) | Self::Ended(_) | Self::Garbage(_) | Self::Stalled(_) => None,
        }
    }

    /// Returns the number of objects or events before the fault.
    fn after(self) -> usize {
        match self {
            Self::Refused(_) | Self::Unreachable => 0,
            Self::Cut(after) | Self::Ended(after) | Self::Garbage(after) | Self::Stalled(after) => {
                after.into()
            }
        }
    }

    /// Returns the error of the fault; `None` for an end that looks regular.
    async fn strike(self) -> Option<SourceError> {
        match self {
            Self::Ended(_) => None,
            Self::Garbage(_) => Some(SourceError::Malformed("on purpose".to_owned())),
            Self::Stalled(_) => {
                sleep(STALL).await;
                Some(SourceError::Timeout {
                    phase: TimeoutPhase::Progress,
                    after: STALL,
                })
            }
            Self::Refused(_) | Self::Unreachable | Self::Cut(_) => {
                Some(SourceError::Truncated { bytes: 1 })
            }
        }
    }
}

// === impl ListerWatcher ===

impl ListerWatcher for Server {
    fn list(&self, options: ListOptions) -> BoxFuture<'_, Result<ListStream, SourceError>> {
        let server = self.clone();
        async move {
            // Time passes between the request and the response.
            sleep(Duration::from_millis(1)).await;
            let (fault, page) = {
                let mut state = server.shared.state.lock();
                let fault = state.take_fault(Request::List);
                let page = state.list(&options);
                if let (None, Ok((_, meta))) = (fault, &page)
                    && meta.continue_token.is_none()
                {
                    state.listed(number(&meta.resource_version));
                }
                (fault, page)
            };
            if let Some(refusal) = fault.and_then(Fault::refusal) {
                return Err(refusal);
            }
            let (mut items, meta) = page?;
            let Some(fault) = fault else {
                let items = items
                    .into_iter()
                    .map(|item| ListPart::Items(vec![Ok(item)]));
                let parts = items.chain([ListPart::End(meta)]).map(Ok);
                return Ok(stream::iter(parts.collect::<Vec<_>>()).boxed());
            };
            items.truncate(fault.after());
            let items = ListPart::Items(items.into_iter().map(Ok).collect());
            let broken = stream::once(fault.strike()).filter_map(|error| async { error.map(Err) });
            Ok(stream::iter([Ok(items)]).chain(broken).boxed())
        }
        .boxed()
    }

    fn watch(&self, options: WatchOptions) -> BoxFuture<'_, Result<WatchStream, SourceError>> {
        let server = self.clone();
        async move {
            sleep(Duration::from_millis(1)).await;
            let watch = Watch::open(&server.shared, &options)?;
            Ok(stream::unfold(watch, |mut watch| async {
                let event = watch.next().await?;
                Some((event, watch))
            })
            .boxed())
        }
        .boxed()
    }

    fn supports_watch_list(&self) -> bool {
        // The informer has to find out whether the server supports it.
        true
    }
}

struct Watch {
    shared: Arc<Shared>,
    initial: VecDeque<RawEvent>,
    /// Index into the history of its epoch.
    next: usize,
    epoch: usize,
    bookmarks: bool,
    fault: Option<Fault>,
    sent: usize,
    deadline: Instant,
    is_over: bool,
}

// === impl Watch ===

impl Watch {
    fn open(shared: &Arc<Shared>, options: &WatchOptions) -> Result<Self, SourceError> {
        let mut state = shared.state.lock();
        let request = if options.send_initial_events {
            Request::Stream
        } else {
            Request::Watch
        };
        let fault = state.take_fault(request);
        if let Some(refusal) = fault.and_then(Fault::refusal) {
            return Err(refusal);
        }
        if options.send_initial_events && !shared.supports_watch_list {
            return Err(status(422).into());
        }
        let seen = number(&options.resource_version);
        if seen > state.version {
            return Err(too_large());
        }
        let mut watch = Self {
            shared: Arc::clone(shared),
            initial: VecDeque::new(),
            next: state.history.len(),
            epoch: state.epochs.len(),
            bookmarks: options.allow_bookmarks,
            fault,
            sent: 0,
            deadline: Instant::now() + options.timeout,
            is_over: false,
        };
        if options.send_initial_events || !options.resource_version.is_exact() {
            watch.initial = raw_objects(&state.objects)
                .into_iter()
                .map(RawEvent::Added)
                .collect();
            if options.send_initial_events {
                if state.bookmarks_to_lose > 0 {
                    state.bookmarks_to_lose -= 1;
                } else {
                    let version = state.version.to_string();
                    let end = RawEvent::initial_events_end(version.as_str());
                    watch.initial.push_back(end);
                }
            }
            return Ok(watch);
        }
        if state.knows(seen) {
            watch.next = state.history.partition_point(|(at, _)| *at <= seen);
        } else {
            // API servers open the watch, and report the error as an event.
            watch.initial.push_back(RawEvent::Error(status(410)));
        }
        Ok(watch)
    }

    async fn next(&mut self) -> Option<Result<RawEvent, SourceError>> {
        if self.is_over {
            return None;
        }
        if let Some(fault) = self.fault.filter(|fault| fault.after() <= self.sent) {
            self.is_over = true;
            return fault.strike().await.map(Err);
        }
        let event = self.next_event().await;
        self.sent += 1;
        self.is_over = !matches!(&event, Some(Ok(event)) if !matches!(event, RawEvent::Error(_)));
        event
    }

    async fn next_event(&mut self) -> Option<Result<RawEvent, SourceError>> {
        loop {
            let shared = Arc::clone(&self.shared);
            let changed = shared.changed.notified();
            {
                let mut state = shared.state.lock();
                if let Some(interruption) = state.epochs.get(self.epoch) {
                    return interruption.strike();
                }
                if let Some(event) = self.initial.pop_front() {
                    if let RawEvent::Bookmark {
                        resource_version, ..
                    } = &event
                    {
                        state.listed(number(resource_version));
                    }
                    return Some(Ok(event));
                }
                while let Some((version, event)) = state.history.get(self.next).cloned() {
                    self.next += 1;
                    if self.bookmarks || !matches!(event, RawEvent::Bookmark { .. }) {
                        state.sent = state.sent.max(version);
                        return Some(Ok(event));
                    }
                }
            }
            timeout_at(self.deadline, changed).await.ok()?;
        }
    }
}

impl Interruption {
    fn strike(self) -> Option<Result<RawEvent, SourceError>> {
        match self {
            Self::Closed => None,
            Self::Cut => Some(Err(SourceError::Truncated { bytes: 1 })),
            Self::Expired => Some(Ok(RawEvent::Error(status(410)))),
            Self::InternalError => Some(Ok(RawEvent::Error(status(500)))),
        }
    }
}
