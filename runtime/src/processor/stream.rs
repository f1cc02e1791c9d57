//! [`EventStream`]: notifications for a consumer that polls.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll};

use futures::Stream;

use super::listener::Receiver;
use super::registration::Owner;
use super::{Handle, HandlerRegistration};
use crate::event::Event;
use crate::storage::AnyEntry;

/// Notifications of an informer as a stream.
///
/// Works like a handler without a task, with its own bounded mailbox. Polling for the next
/// notification acknowledges the previous one. The stream ends when the informer stops or the
/// registration is removed; waiting notifications are then dropped.
///
/// Dropping the stream removes it from the informer. Dropping its registration does not.
#[must_use = "a stream that is not polled fills its mailbox"]
pub struct EventStream<H: Handle> {
    receiver: Receiver,
    registration: HandlerRegistration,
    owner: Weak<dyn Owner>,
    handles: PhantomData<fn() -> H>,
}

// === impl EventStream ===

impl<H: Handle> EventStream<H> {
    pub(super) fn new(
        receiver: Receiver,
        registration: HandlerRegistration,
        owner: Weak<dyn Owner>,
    ) -> Self {
        Self {
            receiver,
            registration,
            owner,
            handles: PhantomData,
        }
    }

    /// Returns the registration of the stream, which shows whether the stream has yielded the
    /// initial state.
    #[must_use]
    pub fn registration(&self) -> &HandlerRegistration {
        &self.registration
    }
}

impl<H: Handle> Stream for EventStream<H> {
    type Item = Event<H>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event<H>>> {
        let next = self.receiver.poll_next(cx);
        if let Poll::Ready(Some(_)) = &next {
            self.receiver.status().counters.delivered.increment();
        }
        next.map(|event| event.map(|event| event.map(AnyEntry::into_handle)))
    }
}

impl<H: Handle> fmt::Debug for EventStream<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("registration", &self.registration)
            .finish_non_exhaustive()
    }
}

impl<H: Handle> Drop for EventStream<H> {
    fn drop(&mut self) {
        if let Some(owner) = self.owner.upgrade() {
            owner.detach(self.registration.id());
        }
    }
}
