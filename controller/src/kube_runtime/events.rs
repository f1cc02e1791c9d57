//! [`WatcherEvents`]: an informer as a stream of kube's watcher events.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;
use informer_runtime::{EventStream, HandlerRegistration, Object, ObjectError, Storage, Typed};
use kube::runtime::watcher::{self, Event};

use super::machine::Machine;
use super::object::FromCache;

/// Stream of an informer's events in the form of `kube::runtime::watcher`.
///
/// Returned by [`KubeRuntimeExt::watcher_events`](super::KubeRuntimeExt::watcher_events). Ends when
/// the informer stops. Dropping the stream removes it from the informer.
#[must_use = "a stream that is not polled fills its mailbox"]
pub struct WatcherEvents<K: Object, T, S: Storage<K> = Typed> {
    events: EventStream<S::Object>,
    machine: Machine<S::Object>,
    convert: fn(Arc<K>) -> T,
}

// === impl WatcherEvents ===

impl<K: Object, T: FromCache<K>, S: Storage<K>> WatcherEvents<K, T, S> {
    pub(super) fn new(events: EventStream<S::Object>) -> Self {
        Self {
            events,
            machine: Machine::new(),
            convert: T::from_cache,
        }
    }
}

impl<K: Object, T, S: Storage<K>> WatcherEvents<K, T, S> {
    /// Returns the stream's registration, which reports whether the initial state is complete.
    #[must_use]
    pub fn registration(&self) -> &HandlerRegistration {
        self.events.registration()
    }

    fn convert(&self, event: Event<Arc<S::Object>>) -> watcher::Result<Event<T>> {
        let converted = match event {
            Event::Init => Event::Init,
            Event::InitApply(stored) => Event::InitApply(self.object(&stored)?),
            Event::InitDone => Event::InitDone,
            Event::Apply(stored) => Event::Apply(self.object(&stored)?),
            Event::Delete(stored) => Event::Delete(self.object(&stored)?),
        };
        Ok(converted)
    }

    fn object(&self, stored: &Arc<S::Object>) -> watcher::Result<T> {
        let decoded = S::decode(stored).map_err(undecodable)?;
        Ok((self.convert)(decoded))
    }
}

/// Converts a decode error, which only a storage that decodes lazily causes.
fn undecodable(error: ObjectError) -> watcher::Error {
    watcher::Error::WatchFailed(kube::Error::Service(Box::new(error)))
}

impl<K: Object, T, S: Storage<K>> Stream for WatcherEvents<K, T, S> {
    type Item = watcher::Result<Event<T>>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.machine.next() {
                return Poll::Ready(Some(self.convert(event)));
            }
            let polled = Pin::new(&mut self.events).poll_next(cx);
            // Read after the poll, because an event of this poll may be the first one after the
            // initial state.
            let synced = self.events.registration().has_synced();
            match polled {
                Poll::Ready(Some(event)) => self.machine.on_event(&event, synced),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => {
                    if synced {
                        self.machine.on_synced();
                    }
                    let Some(event) = self.machine.next() else {
                        return Poll::Pending;
                    };
                    return Poll::Ready(Some(self.convert(event)));
                }
            }
        }
    }
}

// Sound, because the stream holds no `T` and has no pinned fields.
impl<K: Object, T, S: Storage<K>> Unpin for WatcherEvents<K, T, S> {}

impl<K: Object, T, S: Storage<K>> fmt::Debug for WatcherEvents<K, T, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatcherEvents")
            .field("registration", self.registration())
            .finish_non_exhaustive()
    }
}
